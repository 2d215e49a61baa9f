#include "read/host/host_line.hpp"

#include <doctest/doctest.h>

using namespace gpucoop;

namespace {

HostReading read(std::initializer_list<const char*> lines) {
  HostReading host;
  for (const char* line : lines) (void)read_host_line(line, host);
  return host;
}

}  // namespace

TEST_CASE("the kernel's release, never the host's name") {
  CHECK(read({"Linux myhost 6.18.0-rc7 #4 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux"}).kernel.is("6.18.0-rc7"));
  CHECK(read({"[    0.000000] Linux version 6.8.0-45-generic (buildd@lcy02) (gcc) #45-Ubuntu"})
            .kernel.is("6.8.0-45-generic"));
  CHECK(read({"Linux version 6.12.63+deb13-amd64 (x)", "Linux version 5.4.0 (x)"}).kernel.is("6.12.63+deb13-amd64"));
  CHECK_FALSE(read({"Linux is 6.18 times faster"}).kernel.is_known());
  CHECK_FALSE(read({"Linux version unknown"}).kernel.is_known());
}

TEST_CASE("of the kernel's command line only the parameters that matter are kept") {
  const auto host =
      read({"Command line: BOOT_IMAGE=/boot/vmlinuz-6.1 root=UUID=1234 ro quiet iommu=pt amd_iommu=on "
            "pci=realloc,noaer pcie_aspm=off amdgpu.gpu_recovery=0 user.name=alice cryptdevice=/dev/sda2:secret"});
  CHECK(host.command_line.is("iommu=pt amd_iommu=on pci=realloc,noaer pcie_aspm=off amdgpu.gpu_recovery=0"));
  CHECK(host.iommu_translating.is(false));
  const auto none = read({"BOOT_IMAGE=/boot/vmlinuz-6.18.0 root=UUID=0 ro"});
  CHECK(none.command_line.is(""));
  CHECK_FALSE(none.iommu_translating.is_known());
  CHECK(admitted_parameters("pci=<script> xe.force_probe=*").empty());
}

TEST_CASE("the IOMMU's default domain") {
  CHECK(read({"[ 0.5] iommu: Default domain type: Translated"}).iommu_translating.is(true));
  CHECK(read({"iommu: Default domain type: Passthrough (set via kernel command line)"}).iommu_translating.is(false));
  CHECK(read({"DMAR: IOMMU disabled"}).iommu_translating.is(false));
  // The kernel prints the type even where no IOMMU is used.
  CHECK(read({"Kernel command line: amd_iommu=off", "iommu: Default domain type: Translated"})
            .iommu_translating.is(false));
  CHECK(read({"iommu: Default domain type: Translated", "Kernel command line: amd_iommu=off"})
            .iommu_translating.is(false));
  CHECK_FALSE(read({"Command line: intel_iommu=on"}).iommu_translating.is_known());
}

TEST_CASE("the CPU from lscpu, cpuinfo and the kernel") {
  const auto lscpu =
      read({"Vendor ID:                          AuthenticAMD", "  CPU family:                         25",
            "  Model:                              33", "  Model name:      AMD Ryzen 9 5900X"});
  CHECK(lscpu.cpu_vendor.is("AuthenticAMD"));
  CHECK(lscpu.cpu_family.is(25));
  CHECK(lscpu.cpu_model.is(33));
  const auto cpuinfo =
      read({"vendor_id\t: GenuineIntel", "cpu family\t: 6", "model\t\t: 85", "model name\t: Intel(R)"});
  CHECK(cpuinfo.cpu_vendor.is("GenuineIntel"));
  CHECK(cpuinfo.cpu_model.is(85));
  const auto kernel =
      read({"[ 0.1] smpboot: CPU0: AMD Ryzen 9 7950X 16-Core Processor (family: 0x19, model: 0x61, stepping: 0x2)"});
  CHECK(kernel.cpu_vendor.is("AuthenticAMD"));
  CHECK(kernel.cpu_family.is(0x19));
  CHECK(kernel.cpu_model.is(0x61));
  CHECK_FALSE(read({"Model: Samsung SSD 980"}).cpu_model.is_known());
}

TEST_CASE("the board and signs of a virtual machine") {
  const auto board = read({"[    0.000000] DMI: ASUS System Product Name/PRIME X570-P, BIOS 4021 08/09/2021"});
  CHECK(board.board.is("ASUS System Product Name/PRIME X570-P"));
  CHECK_FALSE(board.hypervisor.is_known());
  CHECK(read({"DMI: QEMU Standard PC (Q35 + ICH9, 2009), BIOS 1.16 04/01/2014"}).hypervisor.is(true));
  CHECK(read({"Hypervisor detected: KVM"}).hypervisor.is(true));
  CHECK(read({"Hypervisor vendor:     KVM"}).hypervisor.is(true));
  CHECK(read({"Booting paravirtualized kernel on bare hardware"}).hypervisor.is(false));
  CHECK(read({"Booting paravirtualized kernel on KVM"}).hypervisor.is(true));
  CHECK(read({"flags\t\t: fpu vme sse2 hypervisor lahf_lm"}).hypervisor.is(true));
  CHECK_FALSE(read({"flags\t\t: fpu vme sse2"}).hypervisor.is_known());
}

TEST_CASE("lines of lspci and prose hold nothing about the host") {
  HostReading host;
  for (const char* line : {"00:00.0 Host bridge: Intel Corporation", "\tKernel driver in use: amdgpu", "", "Models",
                           "DMI", "Linux", "Linux ", "Command line", "\t\tLnkSta:\tSpeed 8GT/s", "(family: , model: )",
                           "smpboot: CPU0: , model: 1(family: 2, stepping: "}) {
    CAPTURE(line);
    CHECK_FALSE(read_host_line(line, host));
  }
}
