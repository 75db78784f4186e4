import LupineCore
import Testing

@testable import LupineCurl

/// The races of several exchanges, by the numbers of their sockets.
@Suite struct AddressRacesTests {
  private var races = AddressRaces()
  private let address: IPAddress

  init() throws { address = try #require(IPAddress("192.0.2.1")) }

  private func makeRace(beside first: Int32) -> AddressRace {
    AddressRace(to: [address], port: 443, beside: first, at: 0)
  }

  @Test mutating func `a number that another race has taken stays with that race`() {
    races.add(makeRace(beside: 10), of: 1)
    races.add(makeRace(beside: 11), of: 2)
    // libcurl has closed 10 without a callback, and the system gives the number to an attempt of the second race.
    guard let second = races[2] else { return #expect(Bool(false), "no race") }
    races.addAttempt(10, to: address, in: second, of: 2)
    races.removeAttempt(10, of: 1)
    #expect(races[1]?.attempts == [])
    #expect(races.race(of: 10)?.id == 2)
    #expect(races.remove(of: 2) == [10])
  }

  @Test mutating func `a number that the own race has taken stays with it`() {
    let race = makeRace(beside: 10)
    races.add(race, of: 1)
    races.addAttempt(10, to: address, in: race, of: 1)
    races.removeAttempt(10, of: 1)
    #expect(races.remove(of: 1) == [10])
  }

  @Test mutating func `an attempt that is closed belongs to no race`() {
    races.add(makeRace(beside: 10), of: 1)
    races.removeAttempt(10, of: 1)
    #expect(races.race(of: 10) == nil)
    #expect(races.remove(of: 1) == [])
  }
}
