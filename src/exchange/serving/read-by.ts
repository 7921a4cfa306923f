// Who reads a streamed answer: the caller's socket, or the gateway itself.
import { keyOf } from '../../idempotency/idempotency.ts'
import type { PumpOptions } from '../../upstream/pump.ts'
import type { Admitted } from '../life/call.ts'

/** The gateway reads what it keeps under the request's Idempotency-Key, what goes into a larger answer, and what leaves in messages. */
export const readBy = ({ origin, is_part }: Pick<Admitted, 'origin' | 'is_part'>): PumpOptions['read_by'] =>
  is_part || origin.read_by === 'gateway' || keyOf(origin.request) !== null ? 'gateway' : 'socket'
