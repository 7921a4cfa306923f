// The operator's error message for an address that the gateway cannot listen on.
import { codeOf, messageOf } from '../../utilities/thrown.ts'

/** By the system's error code. */
const REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there, since ports below 1024 need more rights',
}

/** Advice for the gateway's main address. */
export const MAIN_ADVICE =
  'Choose another address with --listen, such as --listen 127.0.0.1:8099, or with listen in [server] of tollgate.toml.'

/** Returns the operator's error for an address. @param cause the exception of listening */
export function listenRefusal(listen: string, cause: unknown, advice = MAIN_ADVICE): Error {
  const reason = REFUSALS[codeOf(cause)] ?? messageOf(cause)
  return new Error(`Cannot listen on ${listen}: ${reason}. ${advice}`, { cause })
}
