// Who reads a streamed answer: the caller's socket, or the gateway itself.
import { keyOf } from '../../idempotency/idempotency.ts'
import type { PumpOptions } from '../../upstream/pump.ts'
import type { Admitted } from '../life/admission.ts'

/** The gateway reads what it keeps under the request's Idempotency-Key, and what goes into a larger answer. */
export const readBy = ({ origin, is_part }: Pick<Admitted, 'origin' | 'is_part'>): PumpOptions['read_by'] =>
  is_part || keyOf(origin.request) !== null ? 'gateway' : 'socket'
