# SPDX-License-Identifier: BSD-2-Clause
# xtr: `make list` names the verbs. Everything is found by wildcards; a new file needs no line here.
#
#   make CC=clang      another compiler          make RECORDER=0   without libbpf, clang and root
#   make SAN=1         ASan and UBSan            make V=1          show the commands
#   make SAN=thread    TSan
#   make WERROR=1      warnings are errors       make CFLAGS=...   instead of -O2 -g
#   make SQLITE=0      without libsqlite3, ZSTD=0 without libzstd, ARCHIVE=0 without libarchive, ELFUTILS=0 without elfutils, as where they are not installed
#   make COVER=1       counts which lines and branches run (make cover)

VERSION  := $(shell sed -n 's/^.define XTR_VERSION "\(.*\)"/\1/p' format/version.h)
CC       := $(if $(filter default,$(origin CC)),gcc,$(CC))
CLANG    ?= clang
BPFTOOL  ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
RECORDER ?= 1
SAN      ?= 0
V        ?= 0
# Where `make install` puts things; DESTDIR stands before all of them.
PREFIX   ?= /usr/local
prefix   ?= $(PREFIX)
exec_prefix ?= $(prefix)
bindir   ?= $(exec_prefix)/bin
libdir   ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datarootdir ?= $(prefix)/share
datadir  ?= $(datarootdir)
mandir   ?= $(datarootdir)/man
docdir   ?= $(datarootdir)/doc/xtr
unitdir  ?= $(exec_prefix)/lib/systemd/system
# Sanitizers look at every access anyway: optimizing further makes building slow.
CFLAGS   ?= $(if $(filter 1 thread,$(SAN)),-O1 -g1,-O2 -g)

# One build directory per kind of build, so that they never mix.
VARIANT  ?= $(notdir $(firstword $(CC)))$(if $(filter 1,$(SAN)),-asan)$(if $(filter thread,$(SAN)),-tsan)$(if $(filter 1,$(COVER)),-cover)$(if $(filter 0,$(RECORDER)),-reader)$(if $(filter 0,$(SQLITE)),-nosql)$(if $(filter 0,$(ZSTD)),-nozstd)$(if $(filter 0,$(ARCHIVE)),-noarchive)$(if $(filter 0,$(ELFUTILS)),-noelfutils)
B        := build/$(VARIANT)

JOBS := $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc))
MAKEFLAGS += --no-builtin-rules --no-print-directory $(JOBS)
.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

Q   := $(if $(filter 1,$(V)),,@)
msg  = @$(if $(filter 1,$(V)),:,printf '  %-7s %s\n') '$(1)' '$(patsubst build/%,%,$(2))'

# --- what there is ----------------------------------------------------------------------------

# C files of a folder and of the folders in it.
tree       = $(sort $(wildcard $(foreach d,$(1),$(d)/*.c $(d)/*/*.c $(d)/*/*/*.c)))
LIB_SRC    := $(call tree,base format)
PUBLIC_SRC := $(sort $(wildcard lib/*.c))
REPLAY_SRC := $(call tree,replay dumps analysis converters report bundle symbols hang) $(PUBLIC_SRC)
RECORD_CMD := $(addprefix cli/cmd/,cmd_record.c record_flight.c record_say.c record_bundle.c record_hang.c record_ship.c record_session.c cmd_list.c cmd_doctor.c recover_killed.c ship_killed.c)
CLI_SRC    := $(filter-out cli/main.c,$(call tree,cli))
# Before anything is installed there is no pkg-config: MISSING says so.
have       = $(shell pkg-config --exists $(1) 2>/dev/null && echo 1)
HAVE_SQL   := $(if $(filter 0,$(SQLITE)),,$(call have,sqlite3))
HAVE_ARC   := $(if $(filter 0,$(ARCHIVE)),,$(call have,libarchive))
WITHOUT    := $(if $(HAVE_SQL),converters/out/tables/nosqlite.c cli/cmd/noquery.c,converters/out/tables/sqlite% cli/cmd/cmd_query.c cli/cmd/query%) \
	      $(if $(HAVE_ARC),bundle/noarchive.c,bundle/archive%)
REPLAY_SRC := $(filter-out $(WITHOUT),$(REPLAY_SRC))
CLI_SRC    := $(filter-out $(WITHOUT),$(CLI_SRC))
ifeq ($(RECORDER),0)
CLI_SRC    := $(filter-out $(RECORD_CMD),$(CLI_SRC))
else
CLI_SRC    := $(filter-out cli/cmd/norecorder.c cli/cmd/recover_nokilled.c,$(CLI_SRC))
RECORD_SRC := $(call tree,recorder)
BPF_SRC    := $(sort $(wildcard bpf/*.bpf.c))
endif
UNIT_SRC   := $(sort $(wildcard tests/unit/test_*.c))
HELP_SRC   := $(filter-out $(UNIT_SRC),$(sort $(wildcard tests/unit/*.c)))
# Single-file programs that tests and benchmarks use: build/VARIANT/tests/FOLDER/NAME
TOOL_SRC   := $(sort $(foreach d,tools vectors spec golden export bench large record api overload kill hang tsan selfcheck corrupt,$(wildcard tests/$(d)/*.c)))
TOOL_SRC   := $(filter-out tests/api/lib%.c tests/kill/lib%.c tests/hang/lib%.c tests/corrupt/lib%.c,$(TOOL_SRC))
# A library that recorded programs load, never built with sanitizers.
API_LIB    := $(B)/tests/api/lib/libze_loader.so.1
# One that makes a recorder's disk fail.
FAULT_LIB  := $(B)/tests/kill/lib/libfault.so
# One that kills who takes hangs at any step, and makes reading fail.
STEP_LIB   := $(B)/tests/hang/lib/libstep.so
# One that notes what a program does to files.
NOTE_LIB   := $(B)/tests/corrupt/lib/libnote.so
FUZZ_SRC   := $(sort $(wildcard tests/fuzz/fuzz_*.c))
INJECT_SRC := $(sort $(wildcard tests/inject/*.c))
# What is run under injection: recorded, or to ship; without the C library.
BARE       := $(patsubst %.c,$(B)/%,$(wildcard tests/inject/command/*.c))

objs   = $(patsubst %.c,$(B)/%.o,$(1))
LIB    := $(B)/libxtr.a
REPLAY := $(B)/libreplay.a
RECLIB := $(if $(RECORD_SRC),$(B)/librecorder.a)
CLILIB := $(B)/libcli.a
LIBS   := $(CLILIB) $(RECLIB) $(REPLAY) $(LIB)
SKEL   := $(patsubst bpf/%.bpf.c,$(B)/gen/%.skel.h,$(BPF_SRC))
# The parts of the page of `xtr report`, as C strings.
PAGE   := $(B)/gen/report_page.h
# The unit tests are a few programs: a file is in the one with the first letter of its name, behind test_.
UNIT_ab := a b
UNIT_cj := c d e f g h i j
UNIT_kr := k l m n o p q r
UNIT_sz := s t u v w x y z
UNIT_SETS := ab cj kr sz
UNIT   := $(addprefix $(B)/unit/,$(UNIT_SETS))
unit_objs = $(call objs,$(filter $(foreach l,$(UNIT_$(1)),tests/unit/test_$(l)%),$(UNIT_SRC)))
TOOLS  := $(patsubst %.c,$(B)/%,$(TOOL_SRC))
FUZZ_DIR ?= $(B)/fuzz
FUZZ   := $(patsubst tests/fuzz/%.c,$(FUZZ_DIR)/%,$(FUZZ_SRC))

# --- flags ------------------------------------------------------------------------------------

PKGS     := liblz4 libcbor $(if $(HAVE_SQL),sqlite3) $(if $(HAVE_ARC),libarchive)
HAVE_Z   := $(call have,zlib)
HAVE_ZST := $(if $(filter 0,$(ZSTD)),,$(call have,libzstd))
PKGS     += $(if $(HAVE_Z),zlib) $(if $(HAVE_ZST),libzstd)
ifneq ($(RECORDER),0)
PKGS     += libbpf libelf
endif
HAVE_DW  := $(if $(filter 0,$(ELFUTILS)),,$(call have,libdw))
PKGS     += $(if $(HAVE_DW),libdw)
MISSING  := $(strip $(foreach p,$(PKGS),$(if $(call have,$(p)),,$(p))) \
	    $(foreach t,pkg-config $(if $(BPF_SRC),$(CLANG) $(BPFTOOL)),$(if $(shell command -v $(t)),,$(t))))

WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
SAN_NOT  := -Wno-format-truncation -Wno-maybe-uninitialized
# The sanitizers' builds are less optimised: gcc sees less there, and warns of what cannot be.
WARN     += $(if $(filter 1,$(WERROR)),-Werror) $(if $(filter 0,$(SAN))$(findstring clang,$(CC)),,$(SAN_NOT))
CPPFLAGS += -D_GNU_SOURCE= -DXTR_VERSION='"$(VERSION)"' -I. -isystem $(B)/gen
CPPFLAGS += $(if $(filter 0,$(RECORDER)),-DXTR_NO_RECORDER) $(if $(HAVE_DW),-DHAVE_LIBDW)
CPPFLAGS += $(if $(HAVE_Z),-DHAVE_ZLIB) $(if $(HAVE_ZST),-DHAVE_ZSTD) $(if $(HAVE_SQL),-DHAVE_SQLITE) $(if $(HAVE_ARC),-DHAVE_LIBARCHIVE)
CPPFLAGS += $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
HARDEN   := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
SAN_1      := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SAN_thread := -fsanitize=thread -fno-omit-frame-pointer
SANFLAGS := $(SAN_$(SAN))
ALLFLAGS  = -std=gnu11 $(CFLAGS) $(WARN) $(or $(SANFLAGS),$(HARDEN)) $(COVFLAGS) -pthread
LDLIBS    = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm
LDALL     = $(LDFLAGS) $(SANFLAGS) $(if $(filter 1,$(COVER)),--coverage) -pthread
# Only what is counted is built for counting, and without optimization, which merges branches and needs no
# fortified libc; merge_pool.c has threads.
ifeq ($(COVER),1)
HARDEN   :=
$(call objs,$(LIB_SRC) $(REPLAY_SRC) $(RECORD_SRC) $(CLI_SRC) cli/main.c): private COVFLAGS := -O0 --coverage -fprofile-update=atomic
endif
ARCH     := $(shell uname -m)
BPFARCH  := $(or $(patsubst %,x86,$(filter x86_64,$(ARCH))),$(patsubst %,arm64,$(filter aarch64,$(ARCH))),$(ARCH))
BPFFLAGS := -target bpf -mcpu=v3 -g -O2 -Wall -Wextra -Wno-unused-parameter $(if $(filter 1,$(WERROR)),-Werror) \
	    -D__TARGET_ARCH_$(BPFARCH) -I. -idirafter /usr/include/$(ARCH)-linux-gnu

# --- build ------------------------------------------------------------------------------------

.PHONY: all bin unit-bin tools-bin fuzz-bin FORCE
all: $(if $(wildcard cli/main.c),xtr,$(LIBS) $(SKEL)) ## build ./xtr
	@echo "xtr $(VERSION): recorder $(if $(RECORD_SRC),yes,no), symbols $(if $(HAVE_DW),elfutils,no), sqlite $(if $(HAVE_SQL),yes,no), bundles $(if $(HAVE_ARC),yes,no), $(VARIANT)"

bin: $(B)/xtr
unit-bin: $(UNIT)
tools-bin: $(TOOLS) $(API_LIB) $(B)/inject $(BARE) $(FAULT_LIB) $(NOTE_LIB) $(STEP_LIB)

xtr: $(B)/xtr FORCE
	$(Q)cmp -s $< $@ || { cp $< $@.tmp && mv $@.tmp $@; }

$(B)/xtr: $(call objs,cli/main.c) $(LIBS)
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALLFLAGS) $(LDALL) -o $@ $^ $(LDLIBS)

$(LIB): $(call objs,$(LIB_SRC))
$(REPLAY): $(call objs,$(REPLAY_SRC))
$(CLILIB): $(call objs,$(CLI_SRC))
$(if $(RECLIB),$(RECLIB)): $(call objs,$(RECORD_SRC))
$(LIBS): $(B)/sources
	$(call msg,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)

$(B)/%.o: %.c $(B)/flags | check-packages
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALLFLAGS) -MMD -MP -c -o $@ $<

# The unit tests' own code is not optimized, which halves the time to build it; a fortified libc needs that.
ifeq ($(SAN)$(COVER),0)
$(call objs,$(UNIT_SRC) $(HELP_SRC)): private CFLAGS += -O0
$(call objs,$(UNIT_SRC) $(HELP_SRC)): private HARDEN :=
endif

# The kernel walks user stacks by frame pointers.
$(call objs,tests/record/nap.c tests/record/chain.c tests/record/frames.c): private CFLAGS += -fno-omit-frame-pointer

$(if $(RECORD_SRC),$(call objs,$(RECORD_SRC))): | $(SKEL)
# -MMD leaves out what lies in gen/: these hold the programs themselves.
$(if $(RECORD_SRC),$(call objs,$(shell grep -ls '\.skel\.h"' $(RECORD_SRC)))): $(SKEL)

$(PAGE): $(sort $(wildcard report/page/*)) scripts/embed
	$(call msg,EMBED,$@)
	@mkdir -p $(@D)
	$(Q)scripts/embed $(filter report/page/%,$^) >$@

$(B)/report/report_page.o: $(PAGE)

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(B)/flags | check-packages
	$(call msg,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFFLAGS) -MMD -MP -c -o $@ $<

$(B)/gen/%.skel.h: $(B)/bpf/%.bpf.o
	$(call msg,SKEL,$@)
	@mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*) >$@

# Allocations and system calls of the code under test can be made to fail (tests/unit/oom.h, sysfail.h).
comma     := ,
UNIT_WRAP := $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc reallocarray strdup strndup asprintf __asprintf_chk \
	     cbor_load LZ4_compress_HC LZ4_compress_HC_extStateHC ZSTD_createCCtx ZSTD_createDCtx pthread_create write \
	     read pread fstat lstat fdatasync fchmod close poll mkostemp rename getrandom open fcntl fsync)
# What libraries find in the programs first (tests/unit/no_certificates.c).
UNIT_EXPORT := $(addprefix -Wl$(comma)--export-dynamic-symbol=mbedtls_x509_crt_parse_,file path)
$(foreach u,$(UNIT_SETS),$(eval $(B)/unit/$(u): $(call unit_objs,$(u))))
$(UNIT): $(call objs,$(HELP_SRC)) $(LIBS) $(B)/unit/sources
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALLFLAGS) $(LDALL) $(UNIT_WRAP) $(UNIT_EXPORT) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(if $(UNIT_LIBS),$(UNIT_LIBS),-lcriterion)

$(B)/tests/corrupt/damage $(B)/tests/corrupt/crash: $(call objs,$(sort $(wildcard tests/corrupt/parts/*.c)))
$(B)/tests/tools/play: $(call objs,$(sort $(wildcard tests/tools/player/*.c)))
$(TOOLS): $(B)/tests/%: $(B)/tests/%.o $(LIBS)
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALLFLAGS) $(LDALL) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(if $(findstring selfcheck,$@),-lcriterion)

# xtr in which every allocation and every I/O call can fail: tests/inject
$(B)/inject: $(call objs,$(INJECT_SRC) cli/main.c) $(LIBS)
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALLFLAGS) $(LDALL) -Wl,--wrap=main $(if $(filter 1,$(COVER)),-Wl$(comma)--wrap=__gcov_exit$(comma)--wrap=__gcov_dump$(comma)-u$(comma)__gcov_exit$(comma)-u$(comma)__gcov_dump) -o $@ $^ $(LDLIBS)

$(BARE): $(B)/%: %.c tests/inject/command/bare.h $(B)/flags
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O1 -g $(WARN) -fno-stack-protector -fno-pie -nostdlib -static -o $@ $<

$(API_LIB): tests/api/libze.c $(B)/flags
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O1 -g $(WARN) -fPIC -shared -fvisibility=hidden -Wl,-soname,$(@F) -o $@ $<

$(FAULT_LIB): tests/kill/libfault.c $(B)/flags
$(NOTE_LIB): tests/corrupt/libnote.c $(B)/flags
$(STEP_LIB): tests/hang/libstep.c $(B)/flags
$(FAULT_LIB) $(NOTE_LIB) $(STEP_LIB):
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 -O1 -g $(WARN) -fPIC -shared -o $@ $<

# The list of sources and the flags are files: what depends on them is made again when they change.
stamp = @mkdir -p $(@D); echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' >$@
$(B)/flags: FORCE
	$(call stamp,$(CC) $(CPPFLAGS) $(ALLFLAGS) $(BPFFLAGS))
$(B)/places: FORCE
	$(call stamp,$(VERSION) $(prefix) $(libdir) $(includedir) $(SHARE_PKG))
$(B)/sources: FORCE
	$(call stamp,$(LIB_SRC) $(REPLAY_SRC) $(CLI_SRC) $(RECORD_SRC))

$(B)/unit/sources: FORCE
	$(call stamp,$(UNIT_SRC))

.PHONY: check-packages
check-packages:
	@$(if $(MISSING),echo "make: missing: $(MISSING): run scripts/install-deps$(if $(filter 1,$(RECORDER)), or use RECORDER=0)" >&2; exit 1,:)

# --- libxtr: the library for other programs (lib/xtr.h) -----------------------------------------------

SOVERSION := 0
SONAME    := libxtr.so.$(SOVERSION)
OBJCOPY   ?= objcopy
SHARED    := $(B)/public/libxtr.so.$(SOVERSION).$(VERSION)
STATIC    := $(B)/public/libxtr.a
# What it consists of: base, the format, and what makes a text of a field.
SHARE_SRC := $(LIB_SRC) $(PUBLIC_SRC) replay/event/field.c
SHARE_OBJ := $(patsubst %.c,$(B)/public/%.o,$(SHARE_SRC))
SHARE_PKG := liblz4 libcbor $(if $(HAVE_ZST),libzstd)
PUBLIC    := $(SHARED) $(STATIC) $(B)/public/xtr.pc

$(SHARE_OBJ): $(B)/public/%.o: %.c $(B)/flags | check-packages
	$(call msg,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALLFLAGS) -fPIC -fvisibility=hidden -ffunction-sections -MMD -MP -c -o $@ $<

$(SHARED): $(SHARE_OBJ) lib/xtr.map
	$(call msg,LD,$@)
	$(Q)$(CC) $(ALLFLAGS) -fPIC $(LDALL) -shared -Wl,-soname,$(SONAME) -Wl,--version-script,lib/xtr.map \
		-Wl,--gc-sections -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -o $@ $(SHARE_OBJ) \
		$$(pkg-config --libs $(SHARE_PKG)) -lm

# One object, in which all but the public names are its own.
$(STATIC): $(SHARE_OBJ) lib/xtr.map
	$(call msg,AR,$@)
	$(Q)$(CC) -r -nostdlib -o $(@D)/xtr.o $(SHARE_OBJ)
	$(Q)sed -n 's/^\t\(xtr_[a-z_]*\);/\1/p' lib/xtr.map >$(@D)/names
	$(Q)$(OBJCOPY) --keep-global-symbols=$(@D)/names $(@D)/xtr.o
	$(Q)rm -f $@ && ar rcs $@ $(@D)/xtr.o

$(B)/public/xtr.pc: packaging/xtr.pc.in $(B)/places
	@mkdir -p $(@D)
	$(Q)sed -e 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|' \
		-e 's|@version@|$(VERSION)|; s|@requires@|$(SHARE_PKG)|' $< >$@

.PHONY: lib
lib: $(PUBLIC) ## build libxtr, the library for other programs

# --- fuzzing: clang's libFuzzer, and the same targets as plain programs for tests/run.py ------------

FUZZ_AUX  := tests/fuzz/mutate.c
FUZZ_LIBS := $(LIBS)
$(FUZZ): $(FUZZ_DIR)/%: $(B)/tests/fuzz/%.o $(call objs,$(wildcard $(FUZZ_AUX))) $(FUZZ_MAIN) $(FUZZ_LIBS)
	$(call msg,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALLFLAGS) $(LDALL) -o $@ $^ $(LDLIBS)
fuzz-bin: $(FUZZ)

# --- verbs ------------------------------------------------------------------------------------

.PHONY: check check-ci check-all check-long lint-changed tsan demo bench fuzz fuzz-build fuzz-plain fuzz-weigh asan golden lint fmt fmt-check install uninstall deb list clean large
check: ## what to run before each commit (LAB=0: without the lab); last line: N passed, N failed, N skipped
	$(Q)scripts/install-deps build check lint
	$(Q)$(if $(filter 0,$(LAB)),:,scripts/install-deps lab || :)
	$(Q)tests/run.py --level check

check-all: ## every test: all kernels of the lab, both compilers, sanitizers, fuzz targets, failures, whole lint
check-ci: ## what CI runs of them
check-all check-ci:
	$(Q)scripts/install-deps build check lint
	$(Q)$(if $(filter 0,$(LAB)),:,scripts/install-deps lab || :)
	$(Q)scripts/install-deps report || :
	$(Q)tests/run.py --level $(@:check-%=%)

check-long: ## the long versions of the tests of reliability: hours; root for those that record
	$(Q)scripts/install-deps build check
	$(Q)LONG=1 tests/run.py

asan: ## the test suite under ASan and UBSan
	$(Q)scripts/install-deps build check
	$(Q)tests/run.py --asan

cover: ## lines and branches that the tests run, by folder (FILE=format/x.c: those that none runs)
	$(Q)scripts/install-deps build check
	$(Q)tests/cover/run $(FILE)

tsan: ## what has threads under ThreadSanitizer; root for the recordings
	$(Q)scripts/install-deps build check
	$(Q)tests/run.py tsan

demo: ## record a real run, show what recording costs and what xtr finds
	$(Q)scripts/install-deps build
	$(Q)scripts/demo

bench: bin tools-bin $(API_LIB) ## measure, beside the peers that are installed
	$(Q)BUILD=$(B) XTR=$(B)/xtr tests/bench/run

FLEET ?= 40
large: bin tools-bin ## replay 100 million events with bounded memory; a fleet of FLEET=40 recordings, 20 million jobs, in DuckDB (npm)
	$(Q)BUILD=$(B) XTR=$(B)/xtr LARGE=1 tests/large/run
	$(Q)BUILD=$(B) XTR=$(B)/xtr tests/fleet-sql/scale $(B)/fleet $(FLEET)

SECS ?= 60
FUZZ_ONE ?= $(if $(T),$(filter %/fuzz_$(T),$(patsubst tests/fuzz/%.c,build/fuzz/fuzz/%,$(FUZZ_SRC))),$(patsubst tests/fuzz/%.c,build/fuzz/fuzz/%,$(FUZZ_SRC)))
fuzz: fuzz-build ## fuzz each target SECS=60 seconds (T=name: one) with clang's libFuzzer
	$(Q)for f in $(FUZZ_ONE); do n=$${f##*/fuzz_}; mkdir -p build/fuzz/corpus/$$n; echo "fuzz $$n"; \
		$$f -max_total_time=$(SECS) -timeout=10 -rss_limit_mb=1024 -artifact_prefix=build/fuzz/ \
		-print_final_stats=1 build/fuzz/corpus/$$n $(wildcard tests/fuzz/corpus)/$$n || exit 1; done

fuzz-build:
	$(Q)$(MAKE) VARIANT=fuzz CC=$(CLANG) SAN=1 LDFLAGS=-fsanitize=fuzzer CFLAGS='-O1 -g -fsanitize=fuzzer-no-link' fuzz-bin

fuzz-plain:
	$(Q)$(MAKE) VARIANT=gcc-asan CC=gcc SAN=1 FUZZ_DIR=build/fuzz-plain/fuzz FUZZ_MAIN='$$(B)/tests/fuzz/standalone.o' fuzz-bin

# Without sanitizers: what an input takes of memory and time.
fuzz-weigh:
	$(Q)$(MAKE) FUZZ_MAIN='$$(B)/tests/fuzz/standalone.o $$(B)/tests/fuzz/weigh.o' fuzz-bin bin

golden: bin tools-bin ## write the expected outputs of tests/golden again
	$(Q)BUILD=$(B) XTR=$(B)/xtr tests/golden/run --update

deb: ## Debian packages of this tree into build/deb: xtr, libxtr0, libxtr-dev
	$(Q)scripts/install-deps build deb
	$(Q)scripts/deb

# Places that installed texts name.
NAMED  = bindir=$(bindir) datadir=$(datadir) docdir=$(docdir)
# Parts of the stage, and where each goes; the first that fits.
PLACES = $(foreach p,bin=$(bindir) lib/systemd/system=$(unitdir) lib=$(libdir) include=$(includedir) share/man=$(mandir) \
	   share/doc/xtr=$(docdir) share=$(datadir),$(subst =,=$(DESTDIR),$(p)))

C_DIRS  := $(wildcard base/ format/ replay/ dumps/ analysis/ converters/ report/ bundle/ hang/ lib/ cli/ recorder/)
C_FILES := $(sort $(wildcard $(foreach d,$(C_DIRS),$(d)*.[ch] $(d)*/*.[ch] $(d)*/*/*.[ch]) bpf/*.[ch] tests/*/*.[ch] examples/*/*.[ch]))
CLANG_FORMAT ?= clang-format
fmt: ## format the C files (clang-format 14)
	$(Q)$(CLANG_FORMAT) -i $(C_FILES)

fmt-check: ## fail if a C file is not formatted
	$(Q)bad=$$($(CLANG_FORMAT) --dry-run $(C_FILES) 2>&1 | sed -n 's/^\([^:]*\):.*clang-format.*/\1/p' | uniq -c); \
		test -z "$$bad" || { echo "not formatted (places, file), see make fmt:"; echo "$$bad"; exit 1; }

# One stamp per file, made again when its object is: the second run is short.
TIDY := $(patsubst %.c,$(B)/%.tidy,$(LIB_SRC) $(REPLAY_SRC) $(RECORD_SRC) $(CLI_SRC) cli/main.c)
$(B)/%.tidy: $(B)/%.o .clang-tidy
	$(call msg,TIDY,$*.c)
	$(Q)scripts/tidy $*.c $(TIDYFLAGS) -- -std=gnu11 $(CPPFLAGS) >$@.log 2>&1 || { cat $@.log; exit 1; }
	@touch $@

# The skeleton that bpftool generates frees through libbpf, which the analyser does not see; and info.c keeps pages
# at computed indexes of an array, of which it forgets all but the last.
$(B)/recorder/attach/loader.tidy $(B)/recorder/attach/function_load.tidy $(B)/recorder/attach/idle_attach.tidy $(B)/cli/cmd/info.tidy: TIDYFLAGS := --checks=-clang-analyzer-unix.Malloc

CPPCHECK := cppcheck -q --enable=warning,portability,performance --error-exitcode=1 --inline-suppr \
	    --std=c11 --suppress=missingIncludeSystem --suppress=missingInclude --suppress=shiftTooManyBitsSigned -D__GNUC__ '-DLIBBPF_OPTS(t,n,...)=struct t n = { 0 }' -I.
lint: fmt-check $(TIDY) ## clang-format, clang-tidy, cppcheck, shellcheck, codespell
	$(Q)mkdir -p $(B)/cppcheck
	$(Q)$(CPPCHECK) --cppcheck-build-dir=$(B)/cppcheck -j2 $(C_DIRS)
	$(Q)scripts/lint-text
	$(Q)scripts/check-style
	$(Q)scripts/check-docs

# clang-tidy and cppcheck take minutes for all: here they see what is not as upstream has it.
lint-changed: fmt-check ## as lint; clang-tidy and cppcheck of the changed files only (scripts/changed)
	$(Q)all=" $(TIDY) "; files=; stamps=; for f in $$(scripts/changed); do \
		s=$(B)/$${f%.c}.tidy; case $$all in *" $$s "*) files="$$files $$f" stamps="$$stamps $$s" ;; esac; done; \
		echo "clang-tidy and cppcheck: $${files:-no file is changed}"; \
		test -z "$$files" || { $(MAKE) $$stamps && $(CPPCHECK) $$files; }
	$(Q)scripts/lint-text
	$(Q)scripts/check-style
	$(Q)scripts/check-docs

install: xtr lib ## to DESTDIR=, PREFIX=/usr/local, bindir=, libdir=, ...: program, library, manual, completions, documents
	$(Q)$(NAMED) scripts/stage ./xtr $(B)/public $(B)/stage
	$(Q)scripts/place $(B)/stage $(PLACES)

uninstall: xtr lib ## remove what install put there
	$(Q)$(NAMED) scripts/stage ./xtr $(B)/public $(B)/stage
	$(Q)scripts/place --remove $(B)/stage $(PLACES)

list: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## */\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

clean: ## remove everything that make made
	$(Q)rm -rf build xtr compile_commands.json

-include $(shell find $(B) -type f -name '*.d' 2>/dev/null)
