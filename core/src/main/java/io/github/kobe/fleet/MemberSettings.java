package io.github.kobe.fleet;

import org.jspecify.annotations.Nullable;

/**
 * What the runtime of a node is told, beyond {@link NodeSettings}.
 *
 * @param version the version of the limits in the policies of this node
 * @param totalLimit the limit over all groups; {@code null} if there is none
 * @param onLeaseLost what happens to running tasks when the lease is over
 */
record MemberSettings(long version, @Nullable Integer totalLimit, LeaseLostAction onLeaseLost) {}
