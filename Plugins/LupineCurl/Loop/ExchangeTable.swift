/// The exchanges in progress, by their numbers.
///
/// The numbers increase by one, so their low bits distribute them evenly over short chains without a hash.
final class ExchangeTable {
  /// A link of a chain.
  ///
  /// The link holds one reference to its exchange from `insert` to `remove`, so a walk along the chain needs no
  /// reference of its own.
  typealias Link = Unmanaged<Exchange>

  private static let mask: UInt64 = 1_023
  private var chains = InlineArray<1_024, Link?>(repeating: nil)
  private(set) var count = 0

  /// Returns the exchange with this number; nil if there is none.
  subscript(id: UInt64) -> Exchange? {
    var link = chains[Self.chain(of: id)]
    while let each = link, each._withUnsafeGuaranteedRef({ $0.id != id }) { link = Self.next(after: each) }
    return link?.takeUnretainedValue()
  }

  func insert(_ exchange: Exchange) {
    let chain = Self.chain(of: exchange.id)
    exchange.nextInChain = chains[chain]
    chains[chain] = Link.passRetained(exchange)
    count += 1
  }

  func remove(_ exchange: Exchange) {
    let chain = Self.chain(of: exchange.id)
    var previous: Link?
    var link = chains[chain]
    while let each = link, each._withUnsafeGuaranteedRef({ $0 !== exchange }) {
      previous = each
      link = Self.next(after: each)
    }
    guard let link else { return }
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.nextInChain = exchange.nextInChain }
    } else {
      chains[chain] = exchange.nextInChain
    }
    count -= 1
    link.release()
  }

  /// All exchanges, in no particular order.
  var all: [Exchange] {
    var all: [Exchange] = []
    for chain in chains.indices {
      var link = chains[chain]
      while let each = link {
        all.append(each.takeUnretainedValue())
        link = Self.next(after: each)
      }
    }
    return all
  }

  private static func next(after link: Link) -> Link? { link._withUnsafeGuaranteedRef { $0.nextInChain } }

  private static func chain(of id: UInt64) -> Int { Int(id & mask) }
}
