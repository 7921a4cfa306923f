// Why an address to listen on cannot be had, for the operator.
import { codeOf, messageOf } from '../../utilities/thrown.ts'

/** By the code with which the system refuses an address. */
const REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there, since ports below 1024 need more rights',
}

/** Advice where the address of the gateway is taken. */
export const MAIN_ADVICE =
  'Choose another address with --listen, such as --listen 127.0.0.1:8099, or with listen in [server] of tollgate.toml.'

/** The error for the operator where the address cannot be listened on. @param cause what listening threw @param advice what to do */
export function listenRefusal(listen: string, cause: unknown, advice = MAIN_ADVICE): Error {
  const reason = REFUSALS[codeOf(cause)] ?? messageOf(cause)
  return new Error(`Cannot listen on ${listen}: ${reason}. ${advice}`, { cause })
}
