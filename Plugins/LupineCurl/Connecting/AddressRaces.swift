import DequeModule
import LupineCore

/// The connection attempts of all exchanges that wait for a connection to one of several addresses.
///
/// Each operation takes constant time, whatever the number of races.
struct AddressRaces {
  /// The races by the numbers of their exchanges.
  private var races: [UInt64: AddressRace] = [:]
  /// The number of the exchange to whose race a socket belongs, libcurl's own sockets included.
  private var owners: [Int32: UInt64] = [:]
  /// When attempts begin, in ascending order, because each waits for the same time.
  ///
  /// A race may have ended meanwhile, or have begun its attempt before.
  private var times: Deque<(time: UInt64, id: UInt64)> = []

  var isEmpty: Bool { races.isEmpty }

  /// The earliest time at which an attempt may begin.
  var nextTime: UInt64? { times.first?.time }

  subscript(id: UInt64) -> AddressRace? { races[id] }

  /// Returns the race to which a socket belongs.
  func race(of socket: Int32) -> (id: UInt64, race: AddressRace)? {
    owners[socket].flatMap { id in races[id].map { (id, $0) } }
  }

  /// Adds the race of an exchange whose first attempt has begun.
  mutating func add(_ race: AddressRace, of id: UInt64) {
    races[id] = race
    for socket in race.attempts { owners[socket] = id }
    schedule(race, id)
  }

  /// Records that libcurl has begun an attempt.
  mutating func record(_ socket: Int32, to address: IPAddress, in race: AddressRace, of id: UInt64) {
    race.record(socket, to: address)
    owners[socket] = id
  }

  /// Records an attempt beside those of libcurl.
  mutating func addAttempt(_ socket: Int32, to address: IPAddress, in race: AddressRace, of id: UInt64) {
    race.sockets[socket] = address
    owners[socket] = id
  }

  /// Removes and returns the next race whose attempt is due.
  mutating func popDue(at now: UInt64) -> (id: UInt64, race: AddressRace)? {
    while let first = times.first, first.time <= now {
      times.removeFirst()
      if let race = races[first.id], race.deadline == first.time { return (first.id, race) }
    }
    return nil
  }

  /// Returns the address of the next attempt of a race, which begins now; nil if no address waits.
  mutating func next(of race: AddressRace, _ id: UInt64, at now: UInt64) -> IPAddress? {
    defer { schedule(race, id) }
    return race.next(at: now)
  }

  /// Forgets a socket that is closed.
  mutating func remove(_ socket: Int32) {
    guard let id = owners.removeValue(forKey: socket), let race = races[id] else { return }
    race.attempts.removeAll { $0 == socket }
    race.sockets[socket] = nil
  }

  /// Forgets a socket that libcurl has closed for an exchange without a callback.
  ///
  /// The number may already belong to an attempt of a race, which stays.
  mutating func removeAttempt(_ socket: Int32, of id: UInt64) {
    guard let race = races[id] else { return }
    race.attempts.removeAll { $0 == socket }
    if owners[socket] == id, race.sockets[socket] == nil { owners[socket] = nil }
  }

  /// Removes the race of an exchange, and returns its sockets that do not belong to libcurl.
  mutating func remove(of id: UInt64) -> [Int32] {
    guard let race = races.removeValue(forKey: id) else { return [] }
    let sockets = Array(race.sockets.keys)
    for socket in race.attempts + sockets { owners[socket] = nil }
    if races.isEmpty { times = [] }
    return sockets
  }

  private mutating func schedule(_ race: AddressRace, _ id: UInt64) {
    if let time = race.deadline { times.append((time, id)) }
  }
}
