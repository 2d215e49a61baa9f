#include <doctest/doctest.h>

#include <string>

#include "read/log/log_reader.hpp"
#include "read/log/needles.hpp"
#include "read/log/prefix.hpp"

using namespace gpucoop;

namespace {

LogCause cause(const char* id, std::vector<std::string> patterns) {
  LogCause c;
  c.id = id;
  c.patterns = std::move(patterns);
  return c;
}

Rules rules() {
  Rules r;
  r.log_causes = {
      cause("no-atomics", {"PCIE atomic ops is not supported"}),
      cause("rejects", {"skipped device *, PCI rejects atomics"}),
      cause("bandwidth", {"available PCIe bandwidth, limited by "}),
      cause("xid-79", {"NVRM: Xid (PCI:*): 79,"}),
      cause("xid", {"NVRM: Xid ("}),
      cause("fault", {"AMD-Vi: Event logged [", "DMAR:*[DMA Write*] Request device ["}),
      cause("timeout", {"ring * timeout, signaled seq="}),
      cause("page-fault", {"hub*page fault (src_id:"}),
      cause("job", {"Timedout job: seqno="}),
      cause("hostcall", {"Pcie atomics not enabled, hostcall not supported"}),
      cause("domain", {"iommu: Default domain type: "}),
  };
  return r;
}

/// The one line that the reader keeps of a text of one line; the cause is empty where it keeps none.
LogLine read_one(std::string_view line) {
  static const Rules kRules = rules();
  LogReader reader(kRules);
  const bool taken = reader.take(line, {3, 7});
  const auto lines = reader.finish();
  CHECK(taken == !lines.empty());
  return lines.empty() ? LogLine{} : lines.front();
}

std::string device_of(std::string_view line) {
  const auto kept = read_one(line);
  if (kept.device.is_absent()) return "host";
  return kept.device.is_known() ? to_string(kept.device.value()) : "?";
}

}  // namespace

TEST_CASE("a kernel line is joined to the device that it names first") {
  const auto line = read_one("[    8.123456] amdgpu 0000:07:00.0: amdgpu: PCIE atomic ops is not supported");
  CHECK(line.cause == "no-atomics");
  CHECK(line.text == "amdgpu 0000:07:00.0: amdgpu: PCIE atomic ops is not supported");
  CHECK(line.device.is(*parse_address("07:00.0")));
  CHECK(line.place.line == 7);
  CHECK(line.place.source == 3);

  CHECK(device_of("pci 0000:03:00.0: 31.504 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x2 link at "
                  "0000:00:01.1 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)") == "0000:03:00.0");
  CHECK(device_of("NVRM: Xid (PCI:0000:0A:00): 79, pid='<unknown>', GPU has fallen off the bus.") == "0000:0a:00.0");
  CHECK(device_of("<3>[  10.0] NVRM: Xid (PCI:000d:01:00): 31, pid=77, name=python3, Ch 00000008") == "000d:01:00.0");
  CHECK(device_of("AMD-Vi: Event logged [IO_PAGE_FAULT device=0b:00.0 domain=0x000c address=0x1]") == "0000:0b:00.0");
  CHECK(device_of("amdgpu 10000:0b:00.1: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0010]") == "10000:0b:00.1");
  CHECK(device_of("DMAR: [DMA Write NO_PASID] Request device [03:00.0] fault addr 0xfffe") == "0000:03:00.0");
  CHECK(device_of("DMAR:[DMA Write] Request device [03:00.0] fault addr ffff") == "0000:03:00.0");
  CHECK(device_of("iommu: Default domain type: Translated") == "host");
  CHECK(device_of(":1:rocvirtual.cpp :3066: 12:34:56.7 us: Pcie atomics not enabled, hostcall not supported") ==
        "host");
}

TEST_CASE("the first cause of the catalogue wins, and wildcards match in order") {
  CHECK(read_one("NVRM: Xid (PCI:0000:03:00): 79, GPU").cause == "xid-79");
  CHECK(read_one("NVRM: Xid (PCI:0000:03:00): 31, Ch 79,").cause == "xid");
  CHECK(read_one("DMAR: Request device [03:00.0] [DMA Write").cause == "");
  CHECK(read_one("PCIE atomic ops is supported").cause == "");
  CHECK(read_one("").cause == "");
}

TEST_CASE("names of hosts, users and processes are not kept") {
  CHECK(
      read_one("Sep 16 12:00:01 myhost kernel: [   11.5] amdgpu 0000:07:00.0: PCIE atomic ops is not supported").text ==
      "amdgpu 0000:07:00.0: PCIE atomic ops is not supported");
  CHECK(
      read_one("2025-08-10T19:55:33.635860+01:00 myhost kernel: amdgpu 0000:c1:00.0: ring gfx timeout, signaled seq=1")
          .text == "amdgpu 0000:c1:00.0: ring gfx timeout, signaled seq=1");
  CHECK(read_one("[    4.2] myhost kernel: iommu: Default domain type: Passthrough").text ==
        "iommu: Default domain type: Passthrough");
  CHECK(read_one("[  1.0][    T1] iommu: Default domain type: Passthrough").text ==
        "iommu: Default domain type: Passthrough");
  CHECK(read_one("user@myhost:~$ dmesg amdgpu 0000:07:00.0: amdgpu: PCIE atomic ops is not supported").text ==
        "amdgpu 0000:07:00.0: amdgpu: PCIE atomic ops is not supported");
  CHECK(read_one("Alice says: kfd kfd: skipped device 1002:67ef, PCI rejects atomics").text ==
        "skipped device 1002:67ef, PCI rejects atomics");
  CHECK(read_one("[1.0] NVRM: Xid (PCI:0000:03:00): 31, pid=1234, name=python3, Ch 00000008, intr 10000000").text ==
        "NVRM: Xid (PCI:0000:03:00): 31, Ch 00000008, intr 10000000");
  CHECK(
      read_one("[1.0] amdgpu 0000:03:00.0: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game "
               "pid 5 thread game:cs0 pid 6)")
          .text.find("game") == std::string::npos);
  CHECK(read_one("[1.0] xe 0000:03:00.0: [drm] GT0: Timedout job: seqno=1, flags=0x20 in python3 [2604]").text ==
        "xe 0000:03:00.0: [drm] GT0: Timedout job: seqno=1, flags=0x20");
}

TEST_CASE("a kept text is short and printable") {
  const auto line =
      read_one("[1.0] amdgpu 0000:07:00.0: PCIE atomic ops is not supported \x1b[31m\xff" + std::string(900, 'x'));
  CHECK(line.text.size() <= 300);
  CHECK(line.text.find('\x1b') == std::string::npos);
  CHECK(line.text.find('\xff') == std::string::npos);
}

TEST_CASE("a flood of one cause is cut, other devices are still kept") {
  const Rules r = rules();
  LogReader reader(r);
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    CHECK(reader.take("amdgpu 0000:07:00.0: PCIE atomic ops is not supported", {0, i}));
  }
  CHECK(reader.take("amdgpu 0000:08:00.0: PCIE atomic ops is not supported", {0, 1001}));
  const auto lines = reader.finish();
  CHECK(lines.size() == 17);
  CHECK(lines.back().place.line == 1001);
  CHECK(reader.finish().empty());
}

TEST_CASE("without causes nothing matches") {
  const Rules none;
  LogReader reader(none);
  CHECK_FALSE(reader.take("amdgpu 0000:07:00.0: PCIE atomic ops is not supported", {0, 1}));
}

TEST_CASE("a line with ids only is joined where exactly one device has them") {
  const auto with = [](std::vector<const char*> addresses) {
    Recording recording;
    for (const char* address : addresses) {
      PciDevice device;
      device.address = *parse_address(address);
      device.vendor_id = std::uint16_t{0x1002};
      device.device_id = std::uint16_t{0x699f};
      recording.devices.push_back(device);
    }
    recording.log.push_back(read_one("[1.0] kfd kfd: amdgpu: skipped device 1002:699f, PCI rejects atomics 730<0"));
    CHECK(recording.log[0].device.is_unknown());
    join_log_lines(recording);
    return recording.log[0].device;
  };
  CHECK(with({"01:00.0"}).is(*parse_address("01:00.0")));
  CHECK(with({}).is_unknown());
  const auto two = with({"01:00.0", "02:00.0"});
  CHECK(two.is_unknown());
  CHECK(two.reason() == Reason::not_derivable);
}

TEST_CASE("prefixes of kernel lines") {
  const auto text = [](std::string_view line) { return std::string(strip_log_prefix(line).text); };
  CHECK(text("[drm] Not enough") == "[drm] Not enough");
  CHECK(text("[0000:03:00.0] x") == "[0000:03:00.0] x");
  CHECK(text("<6>[    0.000000] Linux") == "Linux");
  CHECK(text("[  +0.000012] x") == "x");
  CHECK(text("[Sat Jan  7 14:26:18 2023] x y") == "x y");
  CHECK(text("kernel: x") == "x");
  CHECK(text("Jan 10 08:53:15 host kernel:[ 123.4] x") == "x");
  CHECK(text("the kernel: a sentence") == "the kernel: a sentence");
  CHECK_FALSE(strip_log_prefix("plain").prefixed);
}

TEST_CASE("needles are found leftmost, wherever they overlap the search window") {
  const std::vector<std::string_view> words = {"abcde", "cdefgh", "x", "bcd"};
  const Needles needles(words);
  const auto find = [&](std::string_view text, std::size_t from = 0) {
    const std::size_t which = needles.find(text, from);
    return which == Needles::npos ? std::string("-") : std::string(words[which]) + "@" + std::to_string(from);
  };
  CHECK(find("") == "-");
  CHECK(find("bc") == "-");
  CHECK(find("bcd") == "bcd@0");
  CHECK(find("zzabcdezz") == "abcde@2");
  CHECK(find("zzabcd") == "bcd@3");
  CHECK(find("bcd bcd", 1) == "bcd@4");
  CHECK(find("cdefgh") == "cdefgh@0");
  CHECK(find("xxxxxx") == "-");
  std::size_t from = 0;
  CHECK(Needles().find("abc", from) == Needles::npos);
}

TEST_CASE("the catalogue that ships knows the lines that decide AtomicOps, and no two of its causes are one") {
  LogReader reader(builtin_rules());
  CHECK(reader.take("[1.0] amdgpu 0000:07:00.0: amdgpu: PCIE atomic ops is not supported", {0, 1}));
  CHECK(reader.take("[1.0] kfd kfd: skipped device 1002:67ef, PCI rejects atomics", {0, 2}));
  CHECK(reader.take("[1.0] pcieport 0000:00:01.1: AER: Multiple Corrected error received: 0000:03:00.0", {0, 3}));
  CHECK(reader.take("[1.0] pcieport 0000:00:01.1: AER: Uncorrected (Non-Fatal) error received: 0000:03:00.0", {0, 4}));
  CHECK(reader.take("[1.0] NVRM: Xid (PCI:0000:03:00): 999, what", {0, 5}));
  CHECK_FALSE(reader.take("[1.0] pci 0000:00:01.0: PCI bridge to [bus 01-13]", {0, 6}));
  const auto lines = reader.finish();
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].cause == "amdgpu-no-atomics");
  CHECK(lines[1].cause == "kfd-rejects-atomics");
  CHECK(lines[2].cause == "pcie-error-corrected");
  CHECK(lines[3].cause == "pcie-error-nonfatal");
  CHECK(lines[4].cause == "nvidia-xid");
  for (const LogCause& c : builtin_rules().log_causes) {
    const bool atomics = c.id == "amdgpu-no-atomics" || c.id == "kfd-rejects-atomics";
    CHECK(c.sets_fact.has_value() == atomics);
    if (atomics) CHECK_FALSE(c.sets_value);
  }
}

TEST_CASE(
    "Xids that matter to GPUs that work together each have a sentence, and what keeps a driver from starting too") {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"NVRM: Xid (PCI:0000:3b:00): 13, pid=812, name=python, Graphics SM Warp Exception", "nvidia-program-fault"},
      {"NVRM: Xid (PCI:0000:3b:00): 31, pid=812, name=python, Ch 00000008, MMU Fault", "nvidia-page-fault"},
      {"NVRM: Xid (PCI:0000:3b:00): 43, pid=812, name=python, Ch 00000008", "nvidia-program-fault"},
      {"NVRM: Xid (PCI:0000:3b:00): 45, pid=812, name=python, Ch 00000008", "nvidia-program-ended"},
      {"NVRM: Xid (PCI:0000:3b:00): 48, An uncorrectable double bit error", "nvidia-memory-error"},
      {"NVRM: Xid (PCI:0000:3b:00): 62, 223b6a66 00002100 00000000", "nvidia-pmu-halt"},
      {"NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row marked for remapping", "nvidia-row-replaced"},
      {"NVRM: Xid (PCI:0000:3b:00): 64, Row Remapper: Failed", "nvidia-row-failure"},
      {"NVRM: Xid (PCI:0000:3b:00): 74, NVLink: fatal error detected on link 3", "nvidia-nvlink-error"},
      {"NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.", "nvidia-fallen-off"},
      {"NVRM: Xid (PCI:0000:3b:00): 94, Contained: SM", "nvidia-memory-contained"},
      {"NVRM: Xid (PCI:0000:3b:00): 95, Uncontained: FBHUB", "nvidia-memory-uncontained"},
      {"NVRM: Xid (PCI:0000:3b:00): 109, pid=812, CTX SWITCH TIMEOUT", "nvidia-kernel-stuck"},
      {"NVRM: Xid (PCI:0000:3b:00): 119, Timeout after 6s of waiting for RPC response", "nvidia-gsp-timeout"},
      {"NVRM: Xid (PCI:0000:3b:00): 137, pid=812, name=python, NVLink FLA fault", "nvidia-peer-access"},
      {"NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed", "nvidia-recovery-action"},
      {"nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up", "nvidia-nvswitch-fatal"},
      {"nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 MC TS", "nvidia-nvswitch-error"},
      {"NVRM: API mismatch: the client has the version 580.95.05, but", "nvidia-version-mismatch"},
      {"NVRM: No NVIDIA GPU found.", "nvidia-no-gpu"},
      {"NVRM: The NVIDIA probe routine was not called for 1 device(s).", "nvidia-other-driver"},
      {"NVRM: installed in this system requires use of the NVIDIA open kernel modules.", "nvidia-gpu-unsupported"},
      {"cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802): system not yet initialized", "cuda-system-not-ready"},
      {"nvmlInit_v2: Driver/library version mismatch (18)", "nvidia-version-mismatch"},
      {"h:1:1 [0] mnnvl.cc:66 NCCL WARN MNNVL (cliqueSize 72) is available but not working on this system. Check the "
       "IMEX channel configuration (/dev/nvidia-caps-imex-channels).",
       "nccl-imex"},
      {"h:1:1 [0] misc/shmutils.cc:87 NCCL WARN Error while creating shared memory segment /dev/shm/nccl-Xyz (size 9)",
       "nccl-shm-too-small"},
  };
  for (const auto& line : lines) {
    LogReader reader(builtin_rules());
    CHECK_MESSAGE(reader.take("[1.0] " + line.first, {0, 1}), line.first);
    const auto found = reader.finish();
    REQUIRE(found.size() == 1);
    CHECK_MESSAGE(found.front().cause == line.second, line.first);
  }
}
