/* SPDX-License-Identifier: BSD-2-Clause */
/* Two threads write one variable: ThreadSanitizer has to report it, else tests/tsan/run would find
 * nothing anywhere. */
#include <pthread.h>

static int shared;

static void *write_it(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100000; i++)
		shared++;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	if (pthread_create(&a, NULL, write_it, NULL) || pthread_create(&b, NULL, write_it, NULL))
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared == 0;
}
