/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of fields and values of enums in Perfetto's trace format: those that xtr writes, a block
 * for each message, named after it. They are from github.com/google/perfetto,
 * protos/perfetto/trace; blocks name their files there. docs/export.md says what is written with
 * them.
 */
#ifndef XTR_PERFETTO_FIELDS_H
#define XTR_PERFETTO_FIELDS_H

/* trace.proto, Trace */
#define PF_TRACE_PACKET 1u

/* trace_packet.proto, TracePacket */
#define PF_PACKET_FTRACE       1u
#define PF_PACKET_CLOCKS       6u
#define PF_PACKET_TIMESTAMP    8u
#define PF_PACKET_SEQUENCE     10u
#define PF_PACKET_EVENT        11u
#define PF_PACKET_INTERNED     12u
#define PF_PACKET_FLAGS        13u
#define PF_PACKET_DROPPED      42u /* packets before it */
#define PF_PACKET_SYSTEM       45u
#define PF_PACKET_COMPRESSED   50u /* zlib of a Trace */
#define PF_PACKET_RENDER_STAGE 53u
#define PF_PACKET_CLOCK_ID     58u
#define PF_PACKET_DEFAULTS     59u
#define PF_PACKET_TRACK        60u
#define PF_PACKET_FIRST        87u
#define PF_PACKET_UUID         89u
#define PF_PACKET_MACHINE_ID   98u
#define PF_PACKET_ATTRIBUTES   126u
#define PF_PACKET_GPUS         128u

/* The bits of PF_PACKET_FLAGS. */
#define PF_FLAG_CLEARED 1u
#define PF_FLAG_NEEDED  2u

/* trace_packet_defaults.proto, TracePacketDefaults */
#define PF_DEFAULTS_CLOCK_ID 58u

/* clock_snapshot.proto, ClockSnapshot and its Clock */
#define PF_CLOCKS_CLOCK    1u
#define PF_CLOCKS_PRIMARY  2u
#define PF_CLOCK_ID        1u
#define PF_CLOCK_TIMESTAMP 2u

/* trace_uuid.proto, TraceUuid */
#define PF_UUID_MSB 1u
#define PF_UUID_LSB 2u

/* TraceAttributes and its Attribute */
#define PF_ATTRIBUTES_ONE   1u
#define PF_ATTRIBUTE_KEY    1u
#define PF_ATTRIBUTE_NUMBER 2u
#define PF_ATTRIBUTE_TEXT   3u

/* system_info.proto, SystemInfo and Utsname */
#define PF_SYSTEM_UTSNAME   1u
#define PF_SYSTEM_PAGE_SIZE 6u
#define PF_SYSTEM_CPUS      8u
#define PF_SYSTEM_NAME      17u
#define PF_UTSNAME_SYSNAME  1u
#define PF_UTSNAME_VERSION  2u
#define PF_UTSNAME_RELEASE  3u
#define PF_UTSNAME_MACHINE  4u

/* system_info/gpu_info.proto, GpuInfo, its Gpu and what more is said of that */
#define PF_GPUS_GPU    1u
#define PF_GPU_NAME    1u
#define PF_GPU_VENDOR  2u
#define PF_GPU_MODEL   3u
#define PF_GPU_EXTRA   6u
#define PF_GPU_PCI     7u
#define PF_EXTRA_KEY   1u
#define PF_EXTRA_VALUE 2u

/* interned_data/interned_data.proto, InternedData */
#define PF_INTERNED_CATEGORIES  1u
#define PF_INTERNED_EVENT_NAMES 2u
#define PF_INTERNED_NOTE_NAMES  3u
#define PF_INTERNED_CONTEXTS    23u
#define PF_INTERNED_SPECS       24u

/* track_event/track_event.proto, EventCategory and EventName; debug_annotation.proto, its name */
#define PF_NAME_IID  1u
#define PF_NAME_TEXT 2u

/* gpu/gpu_render_stage_event.proto, InternedGraphicsContext and InternedGpuRenderStageSpecification
 */
#define PF_CONTEXT_IID      1u
#define PF_CONTEXT_PID      2u
#define PF_SPEC_IID         1u
#define PF_SPEC_NAME        2u
#define PF_SPEC_DESCRIPTION 3u
#define PF_SPEC_CATEGORY    4u

enum pf_category {
	PF_CATEGORY_OTHER,
	PF_CATEGORY_GRAPHICS,
	PF_CATEGORY_COMPUTE
};

/* gpu/gpu_render_stage_event.proto, GpuRenderStageEvent and its ExtraData */
#define PF_STAGE_EVENT_ID   1u
#define PF_STAGE_DURATION   2u
#define PF_STAGE_CONTEXT    5u
#define PF_STAGE_EXTRA      6u
#define PF_STAGE_SUBMISSION 10u
#define PF_STAGE_GPU        11u
#define PF_STAGE_QUEUE      13u
#define PF_STAGE_STAGE      14u
#define PF_STAGE_WAITS_FOR  18u
#define PF_STAGE_NAME       20u

#define PF_STAGE_EXTRA_NAME  1u
#define PF_STAGE_EXTRA_VALUE 2u

/* track_event/track_descriptor.proto, TrackDescriptor */
#define PF_TRACK_UUID     1u
#define PF_TRACK_NAME     2u
#define PF_TRACK_PROC     3u
#define PF_TRACK_THRD     4u
#define PF_TRACK_PARENT   5u
#define PF_TRACK_COUNTER  8u
#define PF_TRACK_ORDERING 11u
#define PF_TRACK_RANK     12u
#define PF_TRACK_HELP     14u
#define PF_TRACK_MERGE    15u

#define PF_ORDERING_EXPLICIT   3u
#define PF_MERGE_BY_TRACK_NAME 1u

/* track_event/process_descriptor.proto, thread_descriptor.proto, counter_descriptor.proto */
#define PF_PROCESS_PID       1u
#define PF_PROCESS_NAME      6u
#define PF_THREAD_PID        1u
#define PF_THREAD_TID        2u
#define PF_THREAD_NAME       5u
#define PF_COUNTER_UNIT      3u
#define PF_COUNTER_UNIT_NAME 6u

enum pf_unit {
	PF_UNIT_UNSPECIFIED,
	PF_UNIT_TIME_NS,
	PF_UNIT_COUNT,
	PF_UNIT_SIZE_BYTES
};

/* track_event/track_event.proto, TrackEvent */
#define PF_EVENT_CATEGORY    3u
#define PF_EVENT_NOTE        4u
#define PF_EVENT_TYPE        9u
#define PF_EVENT_NAME        10u
#define PF_EVENT_TRACK       11u
#define PF_EVENT_PLAIN_NAME  23u
#define PF_EVENT_COUNTER     30u
#define PF_EVENT_FLOW        47u
#define PF_EVENT_FLOW_ENDS   48u
#define PF_EVENT_CORRELATION 3000u

enum pf_type {
	PF_SLICE_BEGIN = 1,
	PF_SLICE_END,
	PF_INSTANT,
	PF_COUNTER
};

/* gpu/gpu_track_event.proto, GpuCorrelation: jobs that the event submitted, or waited for */
#define PF_CORRELATION_SUBMISSION 1u
#define PF_CORRELATION_WAIT       2u

/* track_event/debug_annotation.proto, DebugAnnotation */
#define PF_NOTE_NAME 1u
#define PF_NOTE_UINT 3u
#define PF_NOTE_INT  4u
#define PF_NOTE_TEXT 6u
#define PF_NOTE_HEX  7u /* a pointer */

/* ftrace/ftrace_event_bundle.proto, FtraceEventBundle and its GenericEventDescriptor */
#define PF_BUNDLE_CPU         1u
#define PF_BUNDLE_EVENT       2u
#define PF_BUNDLE_LOST        3u
#define PF_BUNDLE_DESCRIPTORS 11u
#define PF_DESCRIPTOR_ID      1u
#define PF_DESCRIPTOR_EVENT   2u
#define PF_DESCRIPTOR_GROUP   3u

/* ftrace/ftrace_event.proto, FtraceEvent */
#define PF_FTRACE_TIME          1u
#define PF_FTRACE_TID           2u
#define PF_FTRACE_SWITCH        4u
#define PF_FTRACE_ADD_DEP       591u
#define PF_FTRACE_DONE          592u
#define PF_FTRACE_QUEUE         593u
#define PF_FTRACE_RUN           594u
#define PF_FTRACE_UNSCHEDULABLE 595u
#define PF_FTRACE_RAW_FIRST     65536u /* and up: described by PF_BUNDLE_DESCRIPTORS */

/* ftrace/sched.proto, SchedSwitchFtraceEvent */
#define PF_SWITCH_PREV_COMM  1u
#define PF_SWITCH_PREV_TID   2u
#define PF_SWITCH_PREV_PRIO  3u
#define PF_SWITCH_PREV_STATE 4u
#define PF_SWITCH_NEXT_COMM  5u
#define PF_SWITCH_NEXT_TID   6u
#define PF_SWITCH_NEXT_PRIO  7u

/* ftrace/gpu_scheduler.proto: of a queued or running job; of the others, which begin alike */
#define PF_JOB_NAME     1u
#define PF_JOB_COUNT    2u
#define PF_JOB_HW_COUNT 3u
#define PF_JOB_DEVICE   4u
#define PF_JOB_CONTEXT  5u
#define PF_JOB_SEQNO    6u
#define PF_JOB_CLIENT   7u

#define PF_FENCE_CONTEXT     1u
#define PF_FENCE_SEQNO       2u
#define PF_FENCE_DEP_CONTEXT 3u
#define PF_FENCE_DEP_SEQNO   4u

/* google/protobuf/descriptor.proto (protobuf's own), DescriptorProto and FieldDescriptorProto */
#define PF_MESSAGE_NAME  1u
#define PF_MESSAGE_FIELD 2u
#define PF_FIELD_NAME    1u
#define PF_FIELD_NUMBER  3u
#define PF_FIELD_LABEL   4u
#define PF_FIELD_TYPE    5u

#define PF_LABEL_OPTIONAL 1u

enum pf_field_type {
	PF_FIELD_INT64 = 3,
	PF_FIELD_UINT64 = 4,
	PF_FIELD_STRING = 9
};

#endif /* XTR_PERFETTO_FIELDS_H */
