#pragma once

#include "collective/collective.hpp"
#include "cuda_report.hpp"

namespace smoke {

/// The stand-in of tests/fakes, which is right but slow.
inline bool is_simulated(const gpucoop::runtime::Device& d) { return d.info().name.rfind("Fake", 0) == 0; }
/// Asked for with `--small yes`: sizes for tools that look at every access.
inline bool wants_small = false;
inline bool takes_small(const gpucoop::runtime::Device& d) { return wants_small || is_simulated(d); }
/// Every operation of a device by itself.
void check_device(Report& r, gpucoop::runtime::Device& d);
/// Every operation between two devices that one process has open.
void check_pair(Report& r, gpucoop::runtime::Device& a, gpucoop::runtime::Device& b);
/// Memory of rank 1 as rank 0 reaches it. `channel`: a stream socket between the two.
void check_ipc(Report& r, gpucoop::runtime::Device& d, unsigned rank, int channel);
/// Every collective, with values checked, by two ranks.
void check_collectives(Report& r, gpucoop::runtime::Device& d, gpucoop::collective::Library& library, unsigned rank,
                       int channel);

/// Bytes to and from the other rank; false where it is gone.
bool tell(int channel, const std::string& bytes);
bool hear(int channel, std::string& bytes);
/// Both ranks are here.
bool meet(int channel);

}  // namespace smoke
