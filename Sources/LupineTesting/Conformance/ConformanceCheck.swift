public import LupineCore

/// One thing that every transport must do, as a value that can be run.
public struct ConformanceCheck: Sendable, Identifiable, CustomStringConvertible {
  /// What must hold, as a sentence; no other check has the same.
  public let name: String
  /// What a transport must be able to do for the check to apply.
  public let needs: TransportCapabilities
  /// Why it must hold, or where it is asked for; empty where the name says all.
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

  /// Runs the check on a transport that the closure makes, and shuts that down.
  ///
  /// - Throws: ``ConformanceFailure`` where the transport does not do what it must.
  public func run(on transport: @escaping @Sendable () throws -> any Transport) async throws {
    try await run(on: ConformanceSubject("The transport", transport: transport))
  }

  /// Runs the check on a subject.
  ///
  /// When the task is cancelled, as by a time limit, the check's exchanges are cancelled and its peer stops, so that a
  /// transport that waits for ever fails and does not hang.
  ///
  /// - Throws: ``ConformanceFailure`` where the transport does not do what it must.
  public func run(on subject: ConformanceSubject) async throws {
    _ = try await transcript(of: subject)
  }

  /// Runs the check and returns what happened, in words that two transports must share.
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
