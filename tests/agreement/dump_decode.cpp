// Prints what we make of a dump of header lines and hex rows, as JSON in the words of lspci, for the comparison with
// `lspci -F`: each device's fields by the decoder alone or, with --reader, by the whole reader, which also gives the
// chain of each GPU. A value is itself, `{"absent": true}` or `{"unknown": reason}`.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "analyse/analyse.hpp"
#include "base/address.hpp"
#include "model/pci.hpp"
#include "read/config/config_space.hpp"
#include "read/config/decode.hpp"
#include "read/config/hex_row.hpp"
#include "read/read.hpp"
#include "rules/rules.hpp"

namespace {

using namespace gpucoop;
using nlohmann::json;

template <class T>
json number_or(const T& v) {
  return v;
}
json number_or(LinkSpeed v) { return gigatransfers(v); }
json number_or(PortType v) { return to_string(v); }

template <class T>
json state(const Known<T>& k) {
  if (k.is_known()) return number_or(k.value());
  if (k.is_absent()) return {{"absent", true}};
  return {{"unknown", to_string(k.reason())}};
}

/// A member of a struct that is itself known or not.
template <class S, class T>
json member(const Known<S>& s, Known<T> S::*field) {
  if (s.is_known()) return state(s.value().*field);
  return state(s.is_absent() ? Known<T>::absent() : Known<T>::unknown(s.reason()));
}

void add_express(const Known<PciExpress>& e, json& out) {
  using X = PciExpress;
  out["Express.version"] = member(e, &X::version);
  out["Express.type"] = member(e, &X::type);
  out["Express.Slot"] = member(e, &X::slot_implemented);
  out["DevCap.MaxPayload"] = member(e, &X::max_payload_supported);
  out["DevCtl.MaxPayload"] = member(e, &X::max_payload);
  out["DevCtl.MaxReadReq"] = member(e, &X::max_read_request);
  out["DevSta.CorrErr"] = member(e, &X::correctable_error);
  out["DevSta.NonFatalErr"] = member(e, &X::non_fatal_error);
  out["DevSta.FatalErr"] = member(e, &X::fatal_error);
  out["DevSta.UnsupReq"] = member(e, &X::unsupported_request);
  out["Link.max_speed"] = member(e, &X::max_speed);
  out["LnkCap.Width"] = member(e, &X::max_width);
  out["LnkSta.Speed"] = member(e, &X::speed);
  out["LnkSta.Width"] = member(e, &X::width);
  out["LnkSta.Train"] = member(e, &X::link_training);
  out["LnkSta.DLActive"] = member(e, &X::dll_active);
  out["LnkSta.BWMgmt"] = member(e, &X::bandwidth_management);
  out["LnkSta.ABWMgmt"] = member(e, &X::autonomous_bandwidth);
  out["LnkCtl.Disabled"] = member(e, &X::link_disabled);
  out["LnkCtl2.Speed"] = member(e, &X::target_speed);
  out["AtomicOpsCap.Routing"] = member(e, &X::atomic_routing);
  out["AtomicOpsCap.32bit"] = member(e, &X::atomic_completer32);
  out["AtomicOpsCap.64bit"] = member(e, &X::atomic_completer64);
  out["AtomicOpsCap.128bitCAS"] = member(e, &X::atomic_completer128);
  out["AtomicOpsCtl.ReqEn"] = member(e, &X::atomic_requester_enable);
  out["AtomicOpsCtl.EgressBlck"] = member(e, &X::atomic_egress_block);
  out["DevCap2.ARIFwd"] = member(e, &X::ari_forwarding);
  out["SltCap.Slot"] = member(e, &X::physical_slot_number);
  out["SltCap.PowerLimit"] = member(e, &X::slot_power_limit_watts);
  out["SltCap.HotPlug"] = member(e, &X::hot_plug_capable);
  out["SltCap.Surprise"] = member(e, &X::hot_plug_surprise);
  out["SltSta.PresDet"] = member(e, &X::presence_detect);
}

void add_acs(const Known<Acs>& acs, json& out) {
  for (const bool control : {false, true}) {
    Known<AcsBits> bits = Known<AcsBits>::absent();
    if (acs.is_unknown()) bits = Known<AcsBits>::unknown(acs.reason());
    if (const auto* a = acs.get()) bits = control ? a->control : a->capability;
    const std::string label = control ? "ACSCtl." : "ACSCap.";
    out[label + "SrcValid"] = member(bits, &AcsBits::source_validation);
    out[label + "TransBlk"] = member(bits, &AcsBits::translation_blocking);
    out[label + "ReqRedir"] = member(bits, &AcsBits::request_redirect);
    out[label + "CmpltRedir"] = member(bits, &AcsBits::completion_redirect);
    out[label + "UpstreamFwd"] = member(bits, &AcsBits::upstream_forwarding);
    out[label + "EgressCtrl"] = member(bits, &AcsBits::egress_control);
    out[label + "DirectTrans"] = member(bits, &AcsBits::direct_translated);
  }
}

json buses(const Known<BusNumbers>& k) {
  if (const auto* b = k.get()) return {b->primary, b->secondary, b->subordinate};
  return state(k.is_absent() ? Known<bool>::absent() : Known<bool>::unknown(k.reason()));
}

json fields(const PciDevice& d) {
  json out;
  out["lost"] = d.lost;
  out["vendor"] = state(d.vendor_id);
  out["device"] = state(d.device_id);
  out["class"] = state(d.class_code);
  out["rev"] = state(d.revision);
  out["Subsystem.vendor"] = state(d.subsystem_vendor_id);
  out["Subsystem.device"] = state(d.subsystem_device_id);
  out["Bus"] = buses(d.buses);
  out["PM"] = state(d.power_state);
  add_express(d.express, out);
  add_acs(d.acs, out);
  out["UESta"] = member(d.aer, &AerStatus::uncorrectable);
  out["CESta"] = member(d.aer, &AerStatus::correctable);
  out["IOVCtl.Enable"] = member(d.sriov, &SrIov::enabled);
  out["IOV.Total VFs"] = member(d.sriov, &SrIov::total_vfs);
  out["IOV.Number of VFs"] = member(d.sriov, &SrIov::num_vfs);
  out["IOV.VF offset"] = member(d.sriov, &SrIov::vf_offset);
  out["IOV.stride"] = member(d.sriov, &SrIov::vf_stride);
  out["IOV.Device ID"] = member(d.sriov, &SrIov::vf_device_id);
  out["ARICap.Next Function"] = state(d.ari_next_function);
  out["bars"] = json::array();
  for (const auto& bar : d.bars) {
    out["bars"].push_back({{"index", bar.index},
                           {"memory", state(bar.memory)},
                           {"64bit", state(bar.is64bit)},
                           {"prefetchable", state(bar.prefetchable)},
                           {"assigned", state(bar.assigned)}});
  }
  out["rebar"] = json::array();
  for (const auto& bar : d.resizable_bars) {
    out["rebar"].push_back({{"index", bar.index}, {"size", state(bar.size)}, {"supported", bar.supported}});
  }
  return out;
}

json by_decoder(std::istream& in) {
  json devices = json::object();
  std::string name;
  ConfigSpace space;
  const auto finish = [&] {
    if (!name.empty() && !space.empty()) {
      PciDevice device;
      decode_config(space, device);
      devices[name] = fields(device);
    }
    space.clear();
  };
  for (std::string line; std::getline(in, line);) {
    std::size_t length = 0;
    if (const auto row = parse_hex_row(line)) {
      space.add(*row);
    } else if (const auto address = parse_address_prefix(line, length)) {
      finish();
      name = to_string(*address);
    }
  }
  finish();
  return {{"devices", devices}};
}

json by_reader(const std::string& file, std::istream& in) {
  Input input{file, std::string(std::istreambuf_iterator<char>(in), {})};
  const auto recording = read_inputs({std::move(input)}, builtin_rules(), ReadOptions{});
  if (!recording) return {{"error", recording.error().what}};
  json devices = json::object();
  for (const auto& device : recording.value().devices) devices[to_string(device.address)] = fields(device);
  json chains = json::object();
  for (const auto& gpu : analyse(recording.value(), builtin_rules()).gpus) {
    auto& chain = chains[to_string(gpu.address)] = json::array();
    for (const auto& hop : gpu.chain) chain.push_back(to_string(hop.address));
  }
  return {{"devices", devices}, {"chains", chains}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool reader = argc == 3 && std::string_view(argv[1]) == "--reader";
  if (argc != 2 && !reader) {
    std::fputs("usage: dump_decode [--reader] FILE\n", stderr);
    return 64;
  }
  const char* file = argv[argc - 1];
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "dump_decode: cannot read %s\n", file);
    return 66;
  }
  std::puts((reader ? by_reader(file, in) : by_decoder(in)).dump(1).c_str());
  return 0;
}
