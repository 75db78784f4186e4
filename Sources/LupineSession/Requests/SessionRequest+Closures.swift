extension SessionRequest {
  /// Adds an adapter that changes this request with a closure, on every attempt, after the session's adapters.
  ///
  /// An error of the closure ends the request with kind `adaptationFailed`.
  @discardableResult
  public func adapter(_ adapt: @escaping ClosureAdapter.Adapt) -> Self { adapter(ClosureAdapter(adapt)) }

  /// Adds a retrier that decides about failed attempts of this request with a closure, after the session's retriers.
  @discardableResult
  public func retrier(_ decide: @escaping ClosureRetrier.Decide) -> Self { retrier(ClosureRetrier(decide)) }

  /// Adds an interceptor that wraps each attempt of this request in a closure, inside the session's interceptors.
  ///
  /// An error of the closure ends the attempt, with kind `interceptionFailed` if it is no `LupineError`.
  @discardableResult
  public func interceptor(_ intercept: @escaping ClosureInterceptor.Intercept) -> Self {
    interceptor(ClosureInterceptor(intercept))
  }
}
