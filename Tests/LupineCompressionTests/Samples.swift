import LupineFixtures

/// Inputs for round trips.
enum Sample: String, CaseIterable, Sendable {
  case empty, oneByte, noise, text, zeros

  /// The samples, made once, because a build without optimisation makes the text slowly.
  private static let made = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.make()) })

  func bytes() -> [UInt8] { Self.made[self] ?? [] }

  private func make() -> [UInt8] {
    var generator = SplitMix(seed: 7)
    switch self {
    case .empty: return []
    case .oneByte: return [0x78]
    case .noise: return (0..<90_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    case .text: return (0..<30_000).flatMap { _ in "lupine \(Int.random(in: 0...99, using: &generator))\n".utf8 }
    case .zeros: return [UInt8](repeating: 0, count: 200_000)
    }
  }
}
