/* SPDX-License-Identifier: BSD-2-Clause */
/* What the manual says of `xtr top`. */
#ifndef XTR_CLI_TOP_TEXT_H
#define XTR_CLI_TOP_TEXT_H

#define TOP_ABOUT                                                                                        \
	"Cuts the time of a recording into slices, and shows of each what devices, rings and "           \
	"processes did in it: losses first, then tables. Definitions are those of 'xtr stats', "         \
	"so the slices add up to its figures. Without --pace a file is read as fast as may "             \
	"be. A file that is being written is followed, a piece of 'xtr record --rotate' into those "     \
	"behind it, and standard input (-). Without a FILE top "                                         \
	"records here what 'xtr record' does, while COMMAND runs if there is one, whose output goes to " \
	"standard error; nothing is kept.\n\n"                                                           \
	"On a terminal: q quits, space pauses, arrows and page keys scroll, ? helps, letters order the " \
	"rows. Else, and with -b or --json, slices are printed one behind the other.\n\n"                \
	"busy: share of the slice with at least one job on the hardware, the union of their "            \
	"times, never a sum. GPU time: share in which a job of the process executed. known as: "         \
	"how execution times are known, the worst of them: exact, inferred, bounded; open: "             \
	"none ended, some are on the hardware; unsure: some may have ended unseen, because "             \
	"events were lost or a younger job of the ring completed; they count nowhere. jobs/s: "          \
	"jobs that ended. running, queued: jobs on the hardware and in software queues at the "          \
	"end of the slice. exec, queue: median and 99th percentile of execution time and queue "         \
	"wait (run - queue) of the jobs that ended; <= is an upper bound. waits/s, longest: waits "      \
	"for fences that ended. NPU bufs, bytes: buffers of an NPU that were made.\n\n"                  \
	"A job that spans slices counts in each with its part; one that has not ended counts "           \
	"until the end of the slice. After 60 slices without an event one slice lasts until the "        \
	"next event.\n\n"                                                                                \
	"Exit status 3: events were lost while recording, or the file is damaged. 5: recording is not "  \
	"possible here. With a COMMAND: its own, if it is not 0."

#define TOP_EXAMPLES                                                                        \
	"xtr top -- ./my-workload\trecord a command, and watch\n"                           \
	"xtr top run.xtr\twhile 'xtr record -o run.xtr' runs\n"                             \
	"xtr top run.000007.xtr\tthe newest piece of 'xtr record --rotate', and on\n"       \
	"ssh host xtr record -o - | xtr top -\tanother machine\n"                           \
	"xtr top --pace 1x run.xtr\tat the speed at which it was recorded\n"                \
	"xtr top -b --interval 100ms --from 2s --to 3s run.xtr\tten pictures of a second\n" \
	"xtr top --json run.xtr | jq '.rings[] | [.ring, .busy_ns]'\tfor programs"

#endif /* XTR_CLI_TOP_TEXT_H */
