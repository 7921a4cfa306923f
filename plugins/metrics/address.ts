// Refusals of the metrics' own address, where it is taken.
import { MAIN_ADVICE } from '../../src/app/process/listen-refusal.ts'
import { refuseTaken } from '../../src/app/process/listening.ts'
import { refuseAddress } from '../../src/app/process/start-refusals.ts'
import { parseListenAddress } from '../../src/utilities/listen-address.ts'

export const METRICS_ADVICE =
  'Choose another address for the metrics with listen in [metrics] of tollgate.toml, or take it out.'

/** @param listen the gateway's own, which is free: it has it by then @throws Error as `refuseAddress` */
export function refuseMetricsAddress(metrics_listen: string, listen: string | undefined): void {
  refuseAddress(metrics_listen, METRICS_ADVICE)
  const own = parseListenAddress(listen ?? '')
  if (own.port === 0) return
  const gateway = Bun.listen({ ...own, socket: { data() {} } })
  try {
    refuseTaken(parseListenAddress(metrics_listen))
  } catch (cause) {
    throw new Error(
      `Cannot listen on ${listen}: the gateway's own metrics have ${metrics_listen} ([metrics] listen). ${MAIN_ADVICE}`,
      { cause },
    )
  } finally {
    gateway.stop(true)
  }
}
