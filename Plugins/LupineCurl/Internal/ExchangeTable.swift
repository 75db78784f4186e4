/// The exchanges that are not over, by their numbers, which grow by one and so need no hash: their last bits spread them
/// evenly over short chains.
final class ExchangeTable {
  private static let mask: UInt64 = 1_023
  private var chains = InlineArray<1_024, Exchange?>(repeating: nil)
  private(set) var count = 0

  /// The exchange of that number; nil where there is none, or none any more.
  subscript(id: UInt64) -> Exchange? {
    var exchange = chains[Self.chain(of: id)]
    while let each = exchange, each.id != id { exchange = each.nextInChain }
    return exchange
  }

  func insert(_ exchange: Exchange) {
    let chain = Self.chain(of: exchange.id)
    exchange.nextInChain = chains[chain]
    chains[chain] = exchange
    count += 1
  }

  func remove(_ exchange: Exchange) {
    let chain = Self.chain(of: exchange.id)
    var previous: Exchange?
    var each = chains[chain]
    while let current = each, current !== exchange {
      previous = current
      each = current.nextInChain
    }
    guard each != nil else { return }
    if let previous { previous.nextInChain = exchange.nextInChain } else { chains[chain] = exchange.nextInChain }
    exchange.nextInChain = nil
    count -= 1
  }

  /// All of them, in no order.
  var all: [Exchange] {
    var all: [Exchange] = []
    for chain in chains.indices {
      var exchange = chains[chain]
      while let each = exchange {
        all.append(each)
        exchange = each.nextInChain
      }
    }
    return all
  }

  private static func chain(of id: UInt64) -> Int { Int(id & mask) }
}
