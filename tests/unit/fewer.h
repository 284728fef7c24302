/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that try thousands of like cases (each byte wrong, a file cut off anywhere) try one in
 * FEWER under the sanitizers, where a case takes five to ten times as long: that each ends as it
 * should is shown by the plain tests, which try all, and one in seven is enough to find code that
 * touches what it may not. 7 has no factor in common with the bits of a byte.
 */
#ifndef TEST_FEWER_H
#define TEST_FEWER_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FEWER 7
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FEWER 7
#endif
#endif
#ifndef FEWER
#define FEWER 1
#endif

#endif /* TEST_FEWER_H */
