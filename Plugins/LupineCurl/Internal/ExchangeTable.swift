/// The exchanges that are not over, by their numbers, which grow by one and so need no hash: their last bits spread them
/// evenly over short chains.
final class ExchangeTable {
  /// A link of a chain holds one count of its exchange's references, from `insert` to `remove`, so that the exchange is
  /// there for whoever follows the chain, who counts none.
  typealias Link = Unmanaged<Exchange>

  private static let mask: UInt64 = 1_023
  private var chains = InlineArray<1_024, Link?>(repeating: nil)
  private(set) var count = 0

  /// The exchange of that number; nil where there is none, or none any more.
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

  /// All of them, in no order.
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
