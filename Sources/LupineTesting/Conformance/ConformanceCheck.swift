public import LupineCore

/// One requirement for every transport, as a value that can be run.
public struct ConformanceCheck: Sendable, Identifiable, CustomStringConvertible {
  /// The requirement as a sentence, which is unique among the checks.
  public let name: String
  /// The capabilities that a transport must have for the check to apply.
  public let needs: TransportCapabilities
  /// The reason or the source of the requirement; empty if the name suffices.
  public let about: String
  let body: @Sendable (ConformanceStage) async throws -> Void

  init(
    _ name: String, needs: TransportCapabilities = [], about: String = "",
    _ body: @escaping @Sendable (ConformanceStage) async throws -> Void
  ) {
    self.name = name
    self.needs = needs
    self.about = about
    self.body = body
  }

  /// The name.
  public var id: String { name }
  /// The name.
  public var description: String { name }

  /// Runs the check on a transport that the closure makes, and shuts the transport down.
  ///
  /// The closure is called once, in the calling task.
  ///
  /// - Throws: ``ConformanceFailure`` if the transport violates the requirement.
  public func run(on transport: @escaping @Sendable () throws -> any Transport) async throws {
    try await run(on: ConformanceSubject("The transport", transport: transport))
  }

  /// Runs the check on a subject.
  ///
  /// If the task is cancelled, for example by a time limit, the check cancels its exchanges and stops its peer. A
  /// transport that never returns then fails the check instead of blocking the test.
  ///
  /// - Throws: ``ConformanceFailure`` if the transport violates the requirement.
  public func run(on subject: ConformanceSubject) async throws {
    _ = try await transcript(of: subject)
  }

  /// Runs the check; returns a transcript that must be the same for two conforming transports.
  func transcript(of subject: ConformanceSubject) async throws -> [String] {
    let stage = try ConformanceStage(check: name, subject: subject)
    let outcome: Result<Void, any Error> = await withTaskCancellationHandler {
      do {
        try await body(stage)
        return .success(())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      stage.abort()
    }
    await stage.close()
    do { try outcome.get() } catch let failure as ConformanceFailure { throw failure } catch {
      throw stage.failure("The check itself", expected: "no error", got: "\(error)")
    }
    return stage.transcript
  }
}

/// The error of a transport that violates a requirement of its contract.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// The name of the transport.
  public let subject: String
  /// The examined value, such as `the status`.
  public let what: String
  /// The value that the contract requires.
  public let expected: String
  /// The transport's value.
  public let got: String

  /// The check, the transport and both values, on separate lines.
  public var description: String {
    "\(subject) fails the check “\(check)”.\n  \(what)\n  expected: \(expected)\n  got:      \(got)"
  }
}
