/// A generator whose numbers follow from its seed (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// Inputs for round trips.
enum Sample: String, CaseIterable, Sendable {
  case empty, oneByte, noise, text, zeros

  /// Made once: without the optimiser the text takes its time.
  private static let made = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.make()) })

  func bytes() -> [UInt8] { Self.made[self] ?? [] }

  private func make() -> [UInt8] {
    var generator = SeededGenerator(seed: 7)
    switch self {
    case .empty: return []
    case .oneByte: return [0x78]
    case .noise: return (0..<90_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    case .text: return (0..<30_000).flatMap { _ in "lupine \(Int.random(in: 0...99, using: &generator))\n".utf8 }
    case .zeros: return [UInt8](repeating: 0, count: 200_000)
    }
  }
}
