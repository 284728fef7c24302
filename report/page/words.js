// SPDX-License-Identifier: BSD-2-Clause
// Keys of `xtr stats --json` as words, and units of what stands under them.

// Titles as xtr stats has them; what has none there.
const SECTION_TITLES = {
  total: "All jobs", markers: "Markers: what programs say of themselves", calls: "Calls: kernel functions and library functions", families: "Intel NPU driver: calls by what they are for",
  allocations: "Allocations: latency of each stage, and mappings", power: "Intel NPU power: firmware boots, resumes, and who waited for them",
  firmware: "NPU firmware: messages and interrupts", amdgpu: "amdgpu: submissions, buffers, address spaces, interrupts",
  xe: "Intel Xe: queues, engines, memory, firmware messages", i915: "Intel GPU (i915): objects, bindings, pressure, requests, waits",
  nvidia: "NVIDIA driver: processes, interrupts, suspends", xid: "NVIDIA Xids, and what went before",
  amdxdna: "AMD NPU: jobs by hardware context, mailbox, interrupts", virtio_gpu: "Virtual GPU (virtio_gpu): commands and responses",
  display: "Displays: vblanks and their delivery", fences: "Fences: who waited for whom, and what was not signalled",
  cpu: "CPUs: late jobs and late threads", hang: "Hangs: whose job, and what it took along", frames: "Frames: what screens showed, and why it was late", anomalies: "Records that contradict each other",
};

// Keys whose parts do not say it.
const KEY_WORDS = {
  n: "values", action: "what to do", comm: "thread", ret: "result", second: "second number", second_name: "second name", time_ns: "time",
  self_ns: "own time", total_ns: "time with what it called", known_as: "known as", vq: "virtqueue", kernel: "by the kernel", in_queue: "not run yet",
  map_sgt: "mappings of buffers (map_sgt)", map_page: "mappings of 4 KiB pages (map_page)", map_page_in_submit: "mappings of 4 KiB pages inside submits",
  map_page_recorded: "mappings of 4 KiB pages were recorded", most_for_one: "most mappings of 4 KiB pages for one buffer", timed: "calls with times", sized: "calls with sizes",
  recorded: "was recorded", returns_recorded: "returns were recorded", busy_exact: "busy time is exact", busy_bounded: "busy time is an upper bound",
  exec_max_sum_ns: "execution time in all, at most", exec_min_sum_ns: "execution time in all, at least", on_hardware: "on the hardware at the end",
  max_ns: "longest", irq_early_max_ns: "interrupt early by at most", stall_max_ns: "longest stall", life_max_ns: "longest life", life_sum_ns: "lives in all",
  residence_sum_ns: "residence time in all", ibs_max: "command buffers, at most", ibs_min: "command buffers, at least", last_mhz: "last frequency", max_mhz: "highest frequency",
  mean_mhz: "mean frequency", min_mhz: "lowest frequency", from_bytes: "from this size", to_bytes: "to this size", before_ns: "time before", late_limit_ns: "late is more than",
  quick_limit_ns: "quick is less than", irq_to_thread_ns: "from interrupt to thread", until_bottom_half_ns: "until the bottom half", delivered_over_1ms: "delivered after more than 1 ms",
  most_in_1s: "most in a second", memory_cat_errors: "memory errors",
  comparable: "times can be compared", lower_bounds: "numbers are lower bounds", pid_from: "process told by", handler_from: "handler told by",
};

// Parts of keys, as words.
const PART_WORDS = {
  exec: "execution", hw: "hardware", dep: "dependency", irq: "interrupt", irqs: "interrupts", isr: "interrupt handler", ih: "interrupt ring", cs: "command submissions",
  ib: "command buffer", ibs: "command buffers", ptes: "page table entries", vm: "address space", vms: "address spaces", vma: "bindings", vmid: "VMID", vmids: "VMIDs",
  pasid: "PASID", pasids: "PASIDs", ppgtts: "address spaces", gtt: "GTT", vram: "VRAM", gt: "GT", guc: "GuC", g2h: "GuC to host", h2g: "host to GuC", tlb: "TLB",
  uvm: "UVM", p2p: "peer-to-peer", dma: "DMA", pid: "process id", tid: "thread id", seqno: "sequence number", obj: "object", reg: "register", max: "most", min: "least",
  sum: "in all", p50: "median", p90: "90 %", p99: "99 %", cpu: "CPU", cpus: "CPUs", gpu: "GPU", crtc: "display pipe", crtcs: "display pipes", xids: "Xids", sxid: "SXid",
  msix: "MSI-X", ipc: "IPC", mmu: "MMU", api: "API", userptr: "from user memory", xe: "Xe", evict: "eviction",
};

// What a key ends in: how to show numbers, and what stands behind the words instead. The first that fits.
const AT_TIME = /(^|_)(at|first|last|from|created|ended|since|bound|oldest_left|opened|peak)_ns$/;
const UNITS = [
  { end: AT_TIME, cut: /_ns$/, show: (v) => (!v ? "-" : state.section.times ? stamp(v) + THIN + "s" : `event ${v}`), after: "" },
  { end: /(wait|latency|gap|age|interval|jitter|delivery|life|stall|silence)_ns$/, cut: /_ns$/, show: duration, after: "" },
  { end: /_ns$/, cut: /_ns$/, show: duration, after: "time" },
  { end: /^time$/, show: duration },
  { end: /^bytes$/, show: size },
  { end: /^bytes_per_second$/, cut: /_per_second$/, show: (v) => size(v) + "/s", after: "" },
  { end: /_bytes$/, cut: /_bytes$/, show: size, after: ", size" },
  { end: /_ppm$/, cut: /_ppm$/, show: percent, after: "" },
  { end: /_permille$/, cut: /_permille$/, show: (v) => percent(Number(v) * 1000), after: "" },
  { end: /_mhz$/, cut: /_mhz$/, show: (v) => count(v) + THIN + "MHz", after: "" },
  { end: /^per_second$/, show: (v) => count(v) + "/s", words: "rate" },
  { end: /_per_second$/, cut: /_per_second$/, show: (v) => count(v) + "/s", after: ", rate" },
  { end: /(^|_)(pid|tid|id|ring_id|context|seqno|node|parent|code|number|opcode|second|device|reg|register|obj|file|handler)$/, show: (v) => clean(v) },
];

// Whose values are named like keys, too.
const NAMED = ["family", "stage", "step"];

const unitOf = (key) => UNITS.find((u) => u.end.test(key));

// A key as words: "queue_wait_ns" is "queue wait". Names of events are names.
function words(key) {
  const unit = unitOf(key);
  if (key.includes(":")) return clean(key);
  if (Object.hasOwn(KEY_WORDS, key)) return KEY_WORDS[key];
  if (unit && unit.words) return unit.words;
  const parts = key.replace((unit && unit.cut) || /$^/, "").split("_").map((part) => (Object.hasOwn(PART_WORDS, part) ? PART_WORDS[part] : part));
  return clean(parts.join(" ") + (unit && unit.after ? (unit.after.startsWith(",") ? "" : " ") + unit.after : ""));
}
