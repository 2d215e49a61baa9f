#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/runtime.hpp"

namespace gpucoop::collective {

enum class DataType : std::uint8_t { int8, uint8, int32, uint32, int64, uint64, float16, float32, float64, bfloat16 };
enum class ReduceOp : std::uint8_t { sum, prod, max, min, avg };
[[nodiscard]] std::string_view to_string(DataType type);
[[nodiscard]] std::string_view to_string(ReduceOp op);
[[nodiscard]] std::uint64_t bytes_of(DataType type);

struct LibraryInfo {
  std::string name;     ///< `nccl`, `rccl`, `oneccl`, `host`
  std::string version;  ///< `2.27.7`
  std::string path;     ///< as loaded; empty: built in
};

/// Where an operand begins.
struct Place {
  runtime::Buffer* buffer = nullptr;
  std::uint64_t offset = 0;  ///< bytes
};

/// One rank's end of a communicator. Counts are of elements. Operations are put on the stream; errors that come later
/// come from `settle`. Must not outlive the Device it was made on.
class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual unsigned size() const = 0;
  [[nodiscard]] virtual unsigned rank() const = 0;

  virtual runtime::Outcome<> all_reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                        runtime::Stream& stream) = 0;
  virtual runtime::Outcome<> reduce(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                    unsigned root, runtime::Stream& stream) = 0;
  virtual runtime::Outcome<> broadcast(Place send, Place receive, std::uint64_t count, DataType type, unsigned root,
                                       runtime::Stream& stream) = 0;
  /// `count` elements of each rank.
  virtual runtime::Outcome<> all_gather(Place send, Place receive, std::uint64_t count, DataType type,
                                        runtime::Stream& stream) = 0;
  /// `count` elements for each rank.
  virtual runtime::Outcome<> reduce_scatter(Place send, Place receive, std::uint64_t count, DataType type, ReduceOp op,
                                            runtime::Stream& stream) = 0;
  virtual runtime::Outcome<> send(Place send, std::uint64_t count, DataType type, unsigned peer,
                                  runtime::Stream& stream) = 0;
  virtual runtime::Outcome<> receive(Place receive, std::uint64_t count, DataType type, unsigned peer,
                                     runtime::Stream& stream) = 0;

  /// Waits for the stream and asks for errors that came later; `hung` at the deadline.
  virtual runtime::Outcome<> settle(runtime::Stream& stream, runtime::Deadline deadline) = 0;
  /// Gives it up without the other ranks; may itself hang, so it has a deadline as well.
  virtual runtime::Outcome<> give_up(runtime::Deadline deadline) = 0;
  /// How data travel to each other rank, as the library says it: `P2P/CUMEM`, `SHM/direct/direct`, `NET/Socket`; empty:
  /// it does not say. In the order of the ranks, empty for this one.
  [[nodiscard]] virtual std::vector<std::string> transports() const = 0;
};

/// A collective library in this process.
class Library {
 public:
  virtual ~Library() = default;
  [[nodiscard]] virtual LibraryInfo info() const = 0;
  /// Opaque bytes, at most 1 KiB, that all ranks of a communicator need; made by one of them.
  virtual runtime::Outcome<std::string> make_id() = 0;
  /// All `size` ranks call it; one rank for each device.
  virtual runtime::Outcome<std::unique_ptr<Communicator>> join(runtime::Device& device, const std::string& id,
                                                               unsigned size, unsigned rank,
                                                               runtime::Deadline deadline) = 0;
  /// As `join`, but calls of the communicator may wait for other ranks without a limit, as they do in engines, where
  /// `join` pays for a limit with time in each call. For measuring, by processes that somebody else ends.
  virtual runtime::Outcome<std::unique_ptr<Communicator>> join_unlimited(runtime::Device& device, const std::string& id,
                                                                         unsigned size, unsigned rank,
                                                                         runtime::Deadline deadline) {
    return join(device, id, size, rank, deadline);
  }
  /// Operations between the two are one.
  virtual runtime::Outcome<> group_start() = 0;
  virtual runtime::Outcome<> group_end(runtime::Deadline deadline) = 0;
};

}  // namespace gpucoop::collective
