#pragma once

#include <cstdint>
#include <string>

#include "base/packed.hpp"
#include "read/live/reader_child.hpp"

namespace gpucoop {

/// What a message of the reader child is about.
enum class Topic : std::uint8_t {
  kernel_build,
  kfd_start,
  kfd_node,
  kfd_links,
  kfd_banks,
  kfd_end,
  driver_attributes,
  device_nodes,
  nvidia_gpu,
  kfd_process,
  open_node,
  client,
  process,
  holders_end,
};

/// Hands over values of types that have a `kTopic`.
class Reports {
 public:
  explicit Reports(ChildOutput& output) : output_(output) {}

  void reading(const std::string& what) { output_.reading(what); }
  template <class T>
  void send(const T& value) {
    packed::Packer packer;
    packer(T::kTopic, value);
    output_.send(packer.take());
  }

 private:
  ChildOutput& output_;
};

/// The topic that a message begins with.
[[nodiscard]] inline Topic topic_of(const std::string& message) {
  Topic topic{};
  packed::Unpacker unpacker(message);
  unpacker(topic);
  return topic;
}

template <class T>
[[nodiscard]] T unpacked(const std::string& message) {
  Topic topic{};
  T value{};
  packed::Unpacker unpacker(message);
  unpacker(topic, value);
  return value;
}

}  // namespace gpucoop
