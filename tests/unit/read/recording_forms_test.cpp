#include <doctest/doctest.h>

#include <random>
#include <regex>
#include <string>
#include <vector>

#include "read/recording/form.hpp"
#include "read/recording/log_words.hpp"
#include "recording_sample.hpp"

using namespace gpucoop;
using namespace gpucoop::recording_sample;

namespace {

constexpr int kLastForm = static_cast<int>(Form::log_line);

std::vector<std::string> texts() {
  std::vector<std::string> result = {"",
                                     " ",
                                     "...",
                                     "\\",
                                     "/",
                                     "a b  c",
                                     "x\ty\nz",
                                     "\xc3\xa4 b",
                                     std::string(5000, 'a'),
                                     "0000:0b:00.0",
                                     "D0",
                                     "1.2.3-foo",
                                     "6.8.0-rc3+",
                                     "iommu=pt root=/dev/x"};
  for (int form = 0; form <= kLastForm; ++form) result.emplace_back(text_of(static_cast<Form>(form)));
  std::mt19937 random(1);
  const std::string letters = "aB0_-. /@:=\\[]()~+,x1\xe4\n";
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) text += letters[random() % letters.size()];
    result.push_back(text);
  }
  return result;
}

std::string line(const char* cause, const char* text) {
  static const LogWords words(builtin_rules());
  const auto result = words.rebuilt(cause, text);
  CHECK(words.rebuilt(cause, result) == result);
  return result;
}

}  // namespace

TEST_CASE("forms: the samples pass whole, what passes passes again and is as the schema says") {
  for (int i = 0; i <= kLastForm; ++i) {
    const auto form = static_cast<Form>(i);
    INFO(i);
    const std::string sample = text_of(form);
    CHECK(admitted(form, sample) == sample);
    const std::regex pattern(std::string(pattern_of(form)));
    for (const auto& text : texts()) {
      const auto once = admitted(form, text);
      CHECK(admitted(form, once) == once);
      if (!once.empty()) CHECK_MESSAGE(std::regex_match(once, pattern), once);
    }
  }
}

TEST_CASE("forms: a kernel's release ends where a local build begins") {
  const auto release = [](const char* text) { return admitted(Form::release, text); };
  for (const auto* whole :
       {"6.12.63+deb13-amd64", "6.8.0-45-generic", "5.14.0-503.11.1.el9_5.x86_64", "6.17.8-300.fc43.x86_64",
        "6.6.87.2-microsoft-standard-WSL2", "6.14.8-2-pve", "6.16.1-arch1-1", "6.1.0-rc3+", "5.15.0-1053-nvidia-64k",
        "6.8.0-1010-nvidia-lowlatency", "7.0.0", "6.5.0-0.deb12.4-amd64", "6.12.8-zen1-1-zen"}) {
    CHECK(release(whole) == whole);
  }
  CHECK(release("6.8.0-rc3-johns-box+") == "6.8.0-rc3");
  CHECK(release("6.8.0johns") == "6.8");
  CHECK(release("custom-6.8") == "");
  CHECK(release("6.8.0-20261130johndoe1") == "6.8.0");
}

TEST_CASE("forms: of the command line only known keys with plain values") {
  const auto parameters = [](const char* text) { return admitted(Form::parameters, text); };
  CHECK(parameters("BOOT_IMAGE=/boot/vmlinuz root=UUID=5e0b7f9c-52c1-4f0e-9a3b-1c2d3e4f5a6b ro iommu=pt quiet") ==
        "iommu=pt");
  CHECK(parameters("pci=realloc=on,noats pci=resource_alignment=20@0000:01:00.0;0000:02:00.0") ==
        "pci=realloc=on,noats pci=resource_alignment=20@0000:01:00.0;0000:02:00.0");
  CHECK(parameters(
            "pci=disable_acs_redir=pci:8086:a340 amdgpu.ppfeaturemask=0xffffffff vfio-pci.ids=10de:2204,10de:1aef") ==
        "pci=disable_acs_redir=pci:8086:a340 amdgpu.ppfeaturemask=0xffffffff vfio-pci.ids=10de:2204,10de:1aef");
  CHECK(parameters("modprobe.blacklist=nouveau,nvidiafb pcie_aspm=off amd_iommu=force_isolation") ==
        "modprobe.blacklist=nouveau,nvidiafb pcie_aspm=off amd_iommu=force_isolation");
  for (const auto* bad : {"amdgpu.name=johns-box", "amdgpu.x=aa:bb:cc:dd:ee:ff", "iommu.name=john", "hostname=box",
                          "ip=10.0.0.5", "pci=john", "i915.path=/home/john", "xe.x=5e0b7f9c", "amdgpu.John=1",
                          "nouveau.x=1234567890", "modprobe.blacklist=johns_driver", "iommu.4711081512345=1"}) {
    CHECK_MESSAGE(parameters(bad) == "", bad);
  }
}

TEST_CASE("forms: kernel lines keep what the catalogue knows") {
  CHECK(
      line("pcie-bandwidth-limited",
           "amdgpu 0000:03:00.0: 7.876 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x1 link at 0000:00:01.1 "
           "(capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)") ==
      "amdgpu 0000:03:00.0: 7.876 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x1 link at 0000:00:01.1 "
      "(capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)");
  CHECK(line("kfd-rejects-atomics", "kfd kfd: amdgpu: skipped device 1002:699f, PCI rejects atomics 730<0") ==
        "kfd kfd: amdgpu: skipped device 1002:699f, PCI rejects atomics 730<0");
  CHECK(line("iommu-default-domain", "iommu: Default domain type: Passthrough (set via kernel command line)") ==
        "iommu: Default domain type: Passthrough (set via kernel command line)");
  const auto lost =
      line("nvidia-fallen-off", "johns-box john NVRM: Xid (PCI:0000:03:00): 79, GPU has fallen off the bus.");
  CHECK(lost.find("john") == std::string::npos);
  const auto ring = line("amdgpu-ring-timeout",
                         "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14 by john "
                         "(aa:bb:cc:dd:ee:ff) /home/john");
  CHECK(ring == "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14 by ... ... ...");
  CHECK(line("no-such-cause", "ring x timeout") == "");
  CHECK(line("amdgpu-ring-timeout", "nothing of the kind") == "");
}

TEST_CASE("forms: labels and boards without numbers of single parts") {
  CHECK(admitted(Form::label, "PCIEX16_2") == "PCIEX16_2");
  CHECK(admitted(Form::label, "CPU SLOT1 PCI-E 4.0 X16") == "CPU SLOT1 PCI-E 4.0 X16");
  for (const auto* whole : {"PCIEX16(G5)_1", "PCI_E1", "Slot 3", "9", "0-2", "J6B2", "M.2_1", "M2A_CPU", "PCIE5X16_2",
                            "Riser 1 Slot 2", "SLOT7", "Onboard - Ethernet", "OCP3.0 Mezz", "CPU0 PCI-E X16 #2"}) {
    CHECK(admitted(Form::label, whole) == whole);
  }
  CHECK(admitted(Form::label, "SLOT 3 SN1234567") == "SLOT 3");
  CHECK(admitted(Form::label, "johns Slot 4") == "Slot 4");
  CHECK(admitted(Form::board, "Micro-Star International Co., Ltd. MS-7D78 (rev 00:11:22:33:44:55)") ==
        "Micro-Star International Co., Ltd. MS-7D78 (rev");
  CHECK(admitted(Form::board, "QEMU Standard PC (Q35 + ICH9, 2009)") == "QEMU Standard PC (Q35 + ICH9, 2009)");
}
