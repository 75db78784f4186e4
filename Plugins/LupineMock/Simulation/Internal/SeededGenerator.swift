import Glibc
import LupineCore
import LupineSupport

/// A row of numbers that its seed determines: SplitMix64, whose constants Steele, Lea and Flood published in 2014.
struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// - Parameter stream: which of the seed's rows, so that one purpose does not disturb another.
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

  /// A number from 0 up to 1.
  mutating func fraction() -> Double { next().fraction }

  /// A number of the exponential distribution whose mean is 1.
  mutating func exponential() -> Double { -log(1 - fraction()) }

  /// A number of the normal distribution around 0 whose deviation is 1, by Box and Muller.
  mutating func bell() -> Double { (2 * exponential()).squareRoot() * cos(2 * .pi * fraction()) }
}
