#pragma once

#include "bindings/common.hpp"
#include "core/scores/callback_score.hpp"
#include "core/util/observer.hpp"

namespace greedag::python {

/// A score whose local scores are computed by a Python function.
///
/// Exceptions of the function leave the engine unchanged, except KeyboardInterrupt during a search:
/// that stops the search, which then returns the best class so far.
class CustomScore final : public CallbackScore {
 public:
  using Callback = nb::typed<nb::callable, nb::object(int, NodeTuple)>;
  using RaiseInvalid = nb::typed<nb::callable, nb::object(int, NodeTuple, nb::object)>;

  /// `raise_invalid` is called with what `callback` returned if that is not a number below ∞, and
  /// must raise an exception.
  CustomScore(Callback callback, RaiseInvalid raise_invalid, Node size, double min_gain)
      : CallbackScore(checked(size), min_gain),
        callback_(std::move(callback)),
        raise_invalid_(std::move(raise_invalid)) {}

  /// While it exists, the observer of a search decides whether the function is still called.
  class ObserverScope {
   public:
    /// `score` may be of any type; the GIL must be held.
    ObserverScope(const Score& score, Observer& observer);
    ~ObserverScope();
    ObserverScope(const ObserverScope&) = delete;
    ObserverScope& operator=(const ObserverScope&) = delete;
    [[nodiscard]] bool is_custom() const { return score_ != nullptr; }

   private:
    const CustomScore* score_;
  };

  /// For Python's garbage collector: the function may refer to the owner of this score.
  int traverse(visitproc visit, void* arg) const;
  void clear();

 protected:
  [[nodiscard]] double compute(Node y, std::span<const Node> E) const override;
  [[nodiscard]] std::optional<double> compute_unless_stopped(
      Node y, std::span<const Node> E) const override;

 private:
  [[nodiscard]] static Node checked(Node size) {
    if (size < 1) throw nb::value_error("a score needs at least one column");
    return size;
  }
  /// The GIL must be held.
  [[nodiscard]] double call(Node y, std::span<const Node> E) const;

  nb::object callback_;
  nb::object raise_invalid_;
  mutable Observer* observer_ = nullptr;  ///< of the running search, or null
};

}  // namespace greedag::python
