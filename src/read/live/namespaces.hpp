#pragma once

namespace gpucoop {

/// What /proc/PID/ns/pid points to in the pid namespace that the kernel starts with (include/linux/proc_ns.h
/// PROC_PID_INIT_INO).
inline constexpr const char* kFirstPidNamespace = "pid:[4026531836]";

}  // namespace gpucoop
