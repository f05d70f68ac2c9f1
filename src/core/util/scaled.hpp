#pragma once

#include <cmath>
#include <cstdint>

namespace greedag {

/// The sum of two doubles that do not overlap: about 32 decimal digits.
struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}  // NOLINT: every double is one
  DoubleDouble(double a, double b) : high(a + b), low(b - (high - a)) {}
  explicit operator double() const { return high + low; }

  friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble upper = exact_sum(a.high, b.high);
    const DoubleDouble lower = exact_sum(a.low, b.low);
    const DoubleDouble sum(upper.high, upper.low + lower.high);
    return {sum.high, sum.low + lower.low};
  }
  friend DoubleDouble operator-(DoubleDouble a) {
    a.high = -a.high;
    a.low = -a.low;
    return a;
  }
  friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble product = exact_product(a.high, b.high);
    return {product.high, product.low + (a.high * b.low + a.low * b.high)};
  }
  friend DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.high / b.high;
    const double second = (a + -(b * first)).high / b.high;
    const double third = (a + -(b * first) + -(b * second)).high / b.high;
    return DoubleDouble(first, second) + third;
  }

 private:
  static DoubleDouble exact_sum(double a, double b) {
    DoubleDouble sum(a + b);
    const double part = sum.high - a;
    sum.low = (a - (sum.high - part)) + (b - part);
    return sum;
  }
  static DoubleDouble exact_product(double a, double b) {
    const DoubleDouble x = halves(a);
    const DoubleDouble y = halves(b);
    DoubleDouble product(a * b);
    product.low =
        ((x.high * y.high - product.high) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return product;
  }
  /// Two numbers of 26 bits each, so that their products are exact (Dekker).
  static DoubleDouble halves(double a) {
    const double shifted = 134217729.0 * a;  // 2^27 + 1
    DoubleDouble parts(shifted - (shifted - a));
    parts.low = a - parts.high;
    return parts;
  }
};

/// m · 2^(512 e): a number that neither overflows nor underflows, with all the digits of `Real`.
///
/// Products bring |m| to 2^-256 … 2^256. Sums leave it as it is: some 2^80 of them would take m no
/// further than products can stand.
template <class Real>
struct Scaled {
  Real m{};
  std::int32_t e = none;

  Scaled() = default;
  Scaled(Real value, std::int32_t exponent) : m(value), e(exponent) {}
  template <class Other>
  explicit Scaled(const Scaled<Other>& other) : m(static_cast<Real>(other.m)), e(other.e) {}

  [[nodiscard]] static Scaled one() { return {Real(1.0), 0}; }
  /// e^x, of any x.
  [[nodiscard]] static Scaled exp(double x) {
    if (x == -INFINITY) return {};
    // 512 log 2 in two parts, the first of which has so few bits that its multiples are exact.
    constexpr double step = 0x1.62e42fep+8;
    constexpr double rest = 0x1.f473de6af278fp-21;
    const double k = std::nearbyint(x / step);
    return {Real(std::exp((x - k * step) - k * rest)), static_cast<std::int32_t>(k)};
  }

  [[nodiscard]] bool is_zero() const { return static_cast<double>(m) == 0.0; }
  [[nodiscard]] double log() const {
    return std::log(static_cast<double>(m)) + 512.0 * std::log(2.0) * e;
  }
  /// 0 if it is below 2^-512 or so, ∞ if it is too large.
  explicit operator double() const { return as_double(static_cast<double>(m), e); }

  Scaled& operator+=(const Scaled& other) {
    if (e == other.e) {
      m = m + other.m;
    } else if (e > other.e) {
      if (e == other.e + 1) m = m + other.m * Real(0x1p-512);
    } else {
      m = e + 1 == other.e ? m * Real(0x1p-512) + other.m : other.m;
      e = other.e;
    }
    return *this;
  }
  friend Scaled operator+(Scaled a, const Scaled& b) { return a += b; }
  friend Scaled operator-(Scaled a) {
    a.m = -a.m;
    return a;
  }
  friend Scaled operator*(const Scaled& a, const Scaled& b) { return normal(a.m * b.m, a.e + b.e); }
  /// The same as a double, faster.
  [[nodiscard]] static double product(const Scaled& a, const Scaled& b) {
    return as_double(static_cast<double>(a.m) * static_cast<double>(b.m), a.e + b.e);
  }
  friend Scaled operator/(const Scaled& a, const Scaled& b) { return normal(a.m / b.m, a.e - b.e); }

 private:
  static constexpr std::int32_t none = -(1 << 29);

  static double as_double(double value, std::int32_t exponent) {
    if (exponent == 0) return value;
    if (exponent < 0) return exponent == -1 ? value * 0x1p-512 : 0.0;
    return exponent == 1 ? value * 0x1p512 : value * INFINITY;
  }
  static Scaled normal(Real value, std::int32_t exponent) {
    const double size = std::abs(static_cast<double>(value));
    if (size == 0.0) return {};
    if (size > 0x1p256) return {value * Real(0x1p-512), exponent + 1};
    if (size < 0x1p-256) return {value * Real(0x1p512), exponent - 1};
    return {value, exponent};
  }
};

}  // namespace greedag
