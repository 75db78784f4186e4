import Lupine

extension Session {
  /// Gives the running requests some time to end, and then ends them.
  func shutdown(within limit: Duration, on clock: some Clock<Duration>) async {
    await withTaskGroup { group in
      group.addTask { await self.finishRequests() }
      group.addTask { try? await clock.sleep(for: limit) }
      await group.next()
      group.cancelAll()
      await shutdown()  // also ends finishRequests()
    }
  }
}
