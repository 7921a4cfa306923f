// The clock of a gateway: that of the machine, set by the database's where several gateways share it.
import type { OwnGateway } from './own-gateway.ts'

export interface SharedClock {
  /** Milliseconds since 1970. */
  now: () => number
  /** The machine's own. */
  machine_now: () => number
  /** From here on it shows what the database's does. */
  follow(gateway: Pick<OwnGateway, 'clock_offset_ms'>): void
}

/** @param machine_now the machine's own */
export function sharedClock(machine_now: () => number): SharedClock {
  let followed: Pick<OwnGateway, 'clock_offset_ms'> = { clock_offset_ms: 0 }
  return {
    now: () => machine_now() + followed.clock_offset_ms,
    machine_now,
    follow(gateway) {
      followed = gateway
    },
  }
}
