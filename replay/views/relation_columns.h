/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The columns of every table that xtr writes: CSV header, JSON keys, SQL definitions and the lists
 * in docs/tables.md come from here. X(identifier, name, type, unit or NULL, meaning).
 *
 * Types: U64, an identifier that may use all 64 bits; INT, a number that fits into 63 bits and a
 * sign; TEXT. A value that is not known is empty, null or NULL.
 */
#ifndef XTR_RELATION_COLUMNS_H
#define XTR_RELATION_COLUMNS_H

/* First in every table. */
#define XTR_ORIGIN_COLUMNS(X)                                                           \
	X(HOST, "host", TEXT, NULL, "name of the machine, if it was recorded")          \
	X(BOOT_ID, "boot_id", TEXT, NULL, "boot of the machine, 32 hexadecimal digits") \
	X(FILE_ID, "file_id", TEXT, NULL, "the recording, 16 hexadecimal digits")

#define XTR_FILES_COLUMNS(X)                                                                      \
	X(FILE_SECTION, "section", INT, NULL, "number of the recording in its .xtr file, from 0") \
	X(FILE_CLOCK, "clock", TEXT, NULL, "clock of all times")                                  \
	X(FILE_FIRST, "first_ns", INT, "ns", "begin of the time exported")                        \
	X(FILE_LAST, "last_ns", INT, "ns", "end of the time exported")                            \
	X(FILE_REALTIME, "realtime_offset_ns", INT, "ns",                                         \
	  "add to a time: ns since 1970, as the first clock snapshot says")                       \
	X(FILE_BOOTTIME, "boottime_offset_ns", INT, "ns", "add to a time: CLOCK_BOOTTIME")        \
	X(FILE_WRITER, "writer", TEXT, NULL, "program that wrote the recording, and its version") \
	X(FILE_KERNEL, "kernel", TEXT, NULL, "release of the kernel")                             \
	X(FILE_MACHINE, "machine", TEXT, NULL, "architecture")                                    \
	X(FILE_MACHINE_ID, "machine_id", TEXT, NULL, "the same in all recordings of one machine") \
	X(FILE_CPUS, "cpus", INT, NULL, "CPUs of the machine")                                    \
	X(FILE_EVENTS, "events", INT, NULL, "events recorded, selected or not")                   \
	X(FILE_LOST, "lost", INT, NULL, "events lost while recording")                            \
	X(FILE_MISSING, "missing", INT, NULL, "events in damaged or missing chunks")              \
	X(FILE_CLOSED, "closed", INT, NULL, "1: the recording was ended; 0: it breaks off")

#define XTR_JOBS_COLUMNS(X)                                                                    \
	X(JOB_DEVICE, "device", TEXT, NULL, "device of the ring")                              \
	X(JOB_RING, "ring", TEXT, NULL, "name of the scheduler instance")                      \
	X(JOB_RING_ID, "ring_id", INT, NULL, "the ring in table rings")                        \
	X(JOB_CONTEXT, "context", U64, NULL, "context of the finished fence")                  \
	X(JOB_SEQNO, "seqno", U64, NULL,                                                       \
	  "sequence number in it: both together name the job in one boot")                     \
	X(JOB_CLIENT, "client", U64, NULL, "DRM client; 0 and from 2^63 on: the kernel's own") \
	X(JOB_PID, "pid", INT, NULL, "process that submitted it")                              \
	X(JOB_TID, "tid", INT, NULL, "thread that submitted it")                               \
	X(JOB_COMM, "comm", TEXT, NULL, "name of that thread")                                 \
	X(JOB_KIND, "kind", TEXT, NULL, "gpu, npu, copy or kernel (the kernel's own)")         \
	X(JOB_SUBMIT, "submit_ns", INT, "ns", "the submitter called the driver")               \
	X(JOB_QUEUE, "queue_ns", INT, "ns", "put into the software queue")                     \
	X(JOB_RUN, "run_ns", INT, "ns", "handed to the driver")                                \
	X(JOB_START, "start_ns", INT, "ns", "execution began")                                 \
	X(JOB_DONE, "done_ns", INT, "ns", "completion was reported")                           \
	X(JOB_RESIDENCE, "residence_ns", INT, "ns", "done - run")                              \
	X(JOB_EXEC, "exec_ns", INT, "ns", "done - start, where both are known")                \
	X(JOB_EXEC_MIN, "exec_min_ns", INT, "ns", "lower bound of the execution time")         \
	X(JOB_EXEC_MAX, "exec_max_ns", INT, "ns", "upper bound; equal if the start is known")  \
	X(JOB_QUEUE_WAIT, "queue_wait_ns", INT, "ns", "run - queue")                           \
	X(JOB_HW_WAIT, "hw_wait_ns", INT, "ns", "start - run")                                 \
	X(JOB_DEP_WAIT, "dep_wait_ns", INT, "ns", "part of the queue wait for other fences")   \
	X(JOB_ERROR, "error", INT, NULL, "of the finished fence: 0, or a negative errno")      \
	X(JOB_DEP_WAITS, "dep_waits", INT, NULL, "fences that it waited for; see table deps")  \
	X(JOB_QUALITY, "quality", TEXT, NULL,                                                  \
	  "how start and end are known: exact, inferred, bounded, open, lost")                 \
	X(JOB_FLAGS, "flags", TEXT, NULL, "what was unusual, separated by vertical bars")      \
	X(JOB_PROCESS, "process", TEXT, NULL, "the process in table processes")

#define XTR_DEPS_COLUMNS(X)                                                           \
	X(DEP_RING_ID, "ring_id", INT, NULL, "ring of the job that waited")           \
	X(DEP_CONTEXT, "context", U64, NULL, "the job that waited")                   \
	X(DEP_SEQNO, "seqno", U64, NULL, "the job that waited")                       \
	X(DEP_DEP_RING_ID, "dep_ring_id", INT, NULL,                                  \
	  "ring of the job waited for; unknown: no scheduler job of the trace")       \
	X(DEP_DEP_CONTEXT, "dep_context", U64, NULL, "the fence waited for")          \
	X(DEP_DEP_SEQNO, "dep_seqno", U64, NULL, "the fence waited for")              \
	X(DEP_FROM, "from_ns", INT, "ns", "begin of the wait")                        \
	X(DEP_UNTIL_NS, "until_ns", INT, "ns", "end of the wait, if records tell it") \
	X(DEP_WAIT, "wait_ns", INT, "ns", "until_ns - from_ns")                       \
	X(DEP_UNTIL, "until", TEXT, NULL,                                             \
	  "what ended it: run (the other job was handed to the driver) or done")

#define XTR_CALLS_COLUMNS(X)                                                                      \
	X(CALL_KIND, "kind", TEXT, NULL,                                                          \
	  "syscall, wait, irq, softirq, running, function, api or marker")                        \
	X(CALL_MODULE, "module", TEXT, NULL, "function, api: kernel module, library")             \
	X(CALL_NAME, "name", TEXT, NULL, "system call, interrupt, function, ...")                 \
	X(CALL_BEGIN, "begin_ns", INT, "ns", "begin, if it is in the trace")                      \
	X(CALL_END, "end_ns", INT, "ns", "end, if it is in the trace")                            \
	X(CALL_DURATION, "duration_ns", INT, "ns", "end_ns - begin_ns")                           \
	X(CALL_PID, "pid", INT, NULL, "process of the thread")                                    \
	X(CALL_TID, "tid", INT, NULL, "thread; in an interrupt the one interrupted")              \
	X(CALL_COMM, "comm", TEXT, NULL, "name of the thread")                                    \
	X(CALL_CPU, "cpu", INT, NULL, "CPU at its begin")                                         \
	X(CALL_DEPTH, "depth", INT, NULL, "calls of the same thread (irq: CPU) around it")        \
	X(CALL_CONTEXT, "context", U64, NULL, "wait: context of the fence")                       \
	X(CALL_SEQNO, "seqno", U64, NULL, "wait: sequence number of the fence")                   \
	X(CALL_RET, "ret", INT, NULL, "syscall, function, api: what it returned")                 \
	X(CALL_INNER, "inner_ns", INT, "ns", "time of the calls directly inside it")              \
	X(CALL_CAPTURED, "captured", TEXT, NULL, "function, api: captured values, a JSON object") \
	X(CALL_GAP, "gap", INT, NULL, "1: events were lost while it was open")                    \
	X(CALL_PROCESS, "process", TEXT, NULL, "the process in table processes")

#define XTR_EVENTS_COLUMNS(X)                                       \
	X(EVENT_TS, "ts_ns", INT, "ns", "when it happened")         \
	X(EVENT_CPU, "cpu", INT, NULL, "where it happened")         \
	X(EVENT_PID, "pid", INT, NULL, "process of the thread")     \
	X(EVENT_TID, "tid", INT, NULL, "current thread, 0 if idle") \
	X(EVENT_COMM, "comm", TEXT, NULL, "name of the thread")     \
	X(EVENT_NAME, "event", TEXT, NULL, "system:event")          \
	X(EVENT_FIELDS, "fields", TEXT, NULL, "a JSON object: what xtr dump --json prints")

#define XTR_DEVICES_COLUMNS(X)                                                                     \
	X(DEV_DEVICE, "device", TEXT, NULL, "name of the device")                                  \
	X(DEV_DRIVER, "driver", TEXT, NULL, "its driver")                                          \
	X(DEV_PCI_ID, "pci_id", TEXT, NULL, "vendor:device")                                       \
	X(DEV_VERSION, "driver_version", TEXT, NULL, "version of the driver")                      \
	X(DEV_FIRMWARE, "firmware", TEXT, NULL, "version of the firmware")                         \
	X(DEV_NODES, "nodes", TEXT, NULL, "device nodes, separated by vertical bars")              \
	X(DEV_SRCVERSION, "driver_srcversion", TEXT, NULL, "which source the driver was built of") \
	X(DEV_SUBSYSTEM, "subsystem", TEXT, NULL, "vendor:device of the board")                    \
	X(DEV_REVISION, "revision", TEXT, NULL, "PCI revision")                                    \
	X(DEV_MODEL, "model", TEXT, NULL, "what its driver calls the product")                     \
	X(DEV_VBIOS, "vbios", TEXT, NULL, "version of the video BIOS")                             \
	X(DEV_UUID, "uuid", TEXT, NULL, "what its driver calls this one device")

#define XTR_RINGS_COLUMNS(X)                                                               \
	X(RING_ID, "ring_id", INT, NULL, "the ring in this recording; 0: not known which") \
	X(RING_DEVICE, "device", TEXT, NULL, "its device")                                 \
	X(RING_NAME, "ring", TEXT, NULL, "its name, which other devices may use too")      \
	X(RING_DRIVER, "driver", TEXT, NULL, "driver of the device")                       \
	X(RING_KIND, "kind", TEXT, NULL, "of users' jobs on it: gpu, npu or copy")         \
	X(RING_HW_LIMIT, "hw_limit", INT, NULL, "jobs (credits) on the hardware at once")  \
	X(RING_RULE, "rule", TEXT, NULL, "by its driver: in-order, shared or unknown")     \
	X(RING_VERDICT, "verdict", TEXT, NULL,                                             \
	  "by its events: in-order, out-of-order, batched or parallel")                    \
	X(RING_WHY, "why", TEXT, NULL, "why execution times on it are only bounded")       \
	X(RING_ORDER, "in_order", TEXT, NULL,                                              \
	  "that it executes one job after the other is known, or unknown")                 \
	X(RING_ORDER_SOURCE, "in_order_source", TEXT, NULL, "where the driver says so")

#define XTR_PROCESSES_COLUMNS(X)                                                    \
	X(PROC_PID, "pid", INT, NULL, "process")                                    \
	X(PROC_COMM, "comm", TEXT, NULL, "last name of its first thread seen")      \
	X(PROC_THREADS, "threads", INT, NULL, "its threads that the trace knows")   \
	X(PROC_PROCESS, "process", TEXT, NULL,                                      \
	  "its pid; 4711#2: the second process that was given 4711")                \
	X(PROC_START, "start_ns", INT, "ns", "when it began")                       \
	X(PROC_CGROUP, "cgroup", TEXT, NULL, "path of its control group")           \
	X(PROC_CONTAINER, "container", TEXT, NULL, "the container that this names") \
	X(PROC_POD, "pod", TEXT, NULL, "UID of the Kubernetes pod that this names")

#define XTR_TASKS_COLUMNS(X)                                        \
	X(TASK_TID, "tid", INT, NULL, "thread")                     \
	X(TASK_PID, "pid", INT, NULL, "its process")                \
	X(TASK_COMM, "comm", TEXT, NULL, "its name ...")            \
	X(TASK_SINCE, "since_ns", INT, "ns", "... from then on")    \
	X(TASK_KTHREAD, "kthread", INT, NULL, "1: a kernel thread") \
	X(TASK_PROCESS, "process", TEXT, NULL, "its process in table processes")

#define XTR_CLOCKS_COLUMNS(X)                                                       \
	X(CLOCK_BEFORE, "before_ns", INT, "ns", "the event clock just before ...")  \
	X(CLOCK_AFTER, "after_ns", INT, "ns", "... and after the others were read") \
	X(CLOCK_BOOTTIME, "boottime_ns", INT, "ns", "CLOCK_BOOTTIME")               \
	X(CLOCK_REALTIME, "realtime_ns", INT, "ns", "CLOCK_REALTIME: ns since 1970")

#define XTR_LOSSES_COLUMNS(X)                                                        \
	X(LOSS_CPU, "cpu", INT, NULL, "where the events were lost")                  \
	X(LOSS_EVENT, "event", TEXT, NULL, "which events; unknown: of any kind")     \
	X(LOSS_CAUSE, "cause", TEXT, NULL,                                           \
	  "why; filtered: left out on purpose; aged: too old for a flight recorder") \
	X(LOSS_COUNT, "count", INT, NULL, "events")

#define XTR_GAPS_COLUMNS(X)                                              \
	X(GAP_CPU, "cpu", INT, NULL, "where events were lost")           \
	X(GAP_FIRST, "first_ns", INT, "ns", "time of the first of them") \
	X(GAP_LAST, "last_ns", INT, "ns", "and of the last")             \
	X(GAP_COUNT, "count", INT, NULL, "events")

#define XTR_META_COLUMNS(X)                                                    \
	X(META_KEY, "key", TEXT, NULL, "config.NAME, provider.NAME, end.NAME") \
	X(META_VALUE, "value", TEXT, NULL, "its value")

#define XTR_LABELS_COLUMNS(X)                                       \
	X(LABEL_KEY, "key", TEXT, NULL, "KEY of --label KEY=VALUE") \
	X(LABEL_VALUE, "value", TEXT, NULL, "VALUE")

/* X(identifier, name, columns, what a row is), in the order of the documentation. */
#define XTR_RELATIONS(X)                                                                 \
	X(FILES, "files", XTR_FILES_COLUMNS, "a recording")                              \
	X(JOBS, "jobs", XTR_JOBS_COLUMNS, "a job, in order of completion")               \
	X(DEPS, "deps", XTR_DEPS_COLUMNS, "a fence that a job waited for in its queue")  \
	X(CALLS, "calls", XTR_CALLS_COLUMNS,                                             \
	  "a stretch of time on a thread or CPU, in order of its end")                   \
	X(EVENTS, "events", XTR_EVENTS_COLUMNS, "an event, in order of time")            \
	X(DEVICES, "devices", XTR_DEVICES_COLUMNS, "a device")                           \
	X(RINGS, "rings", XTR_RINGS_COLUMNS, "a ring: a scheduler instance")             \
	X(PROCESSES, "processes", XTR_PROCESSES_COLUMNS, "a process")                    \
	X(TASKS, "tasks", XTR_TASKS_COLUMNS, "a thread's name from some time on")        \
	X(CLOCKS, "clocks", XTR_CLOCKS_COLUMNS, "clocks read at the same moment")        \
	X(LOSSES, "losses", XTR_LOSSES_COLUMNS, "events lost, by CPU, kind and cause")   \
	X(GAPS, "gaps", XTR_GAPS_COLUMNS, "a stretch of time in which events were lost") \
	X(META, "meta", XTR_META_COLUMNS, "a fact about the recording")                  \
	X(LABELS, "labels", XTR_LABELS_COLUMNS, "a label of the recording")

#endif /* XTR_RELATION_COLUMNS_H */
