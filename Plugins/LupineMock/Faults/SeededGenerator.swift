import LupineCore
import LupineSupport

/// A seeded sequence of numbers: SplitMix64, with the constants of Steele, Lea and Flood (2014).
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// - Parameter stream: selects one of the seed's sequences, so that one purpose does not affect another.
  init(seed: UInt64, stream: UInt64 = 0) {
    state = seed
    if stream != 0 { state = next() ^ (stream &* 0xD1B5_4A32_D192_ED03) }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number in `0..<1`.
  mutating func fraction() -> Double { next().fraction }

  /// Returns a number of the exponential distribution with mean 1.
  mutating func exponential() -> Double { -(1 - fraction()).logarithm }

  /// Returns a number of the normal distribution with mean 0 and deviation 1 (Box and Muller).
  mutating func normal() -> Double { (2 * exponential()).squareRoot() * (2 * .pi * fraction()).cosine }
}
