// Rate limits of imported accounts and keys for the catalogue, which names accounts and key prefixes.
import type { Limit } from '../../../src/domain/call-limits.ts'
import type { IncomingKey, LeftOut, MoveIn } from '../move-in.ts'
import type { PlannedLimit } from './catalogue.ts'
import { prefixOf } from './identity.ts'
import type { Known } from './known.ts'

/** Accounts with their names, and keys, that exist after the import. */
interface RowsHere {
  readonly names: ReadonlyMap<string, string>
  readonly keys_here: ReadonlySet<string>
}

/** @returns the limits, and in `left_out` the limits of keys that share a prefix */
export function planLimits(
  { accounts }: Pick<MoveIn, 'accounts'>,
  { keys }: Pick<Known, 'keys'>,
  { names, keys_here }: RowsHere,
): { limits: PlannedLimit[]; left_out: LeftOut[] } {
  const incoming = accounts
    .flatMap((account) => account.keys)
    .filter(({ source_id }) => keys_here.has(source_id))
  const own = new Set(incoming.map(({ sha256 }) => sha256.toString('hex')))
  const prefixes = [
    ...incoming.map(prefixOf),
    ...keys.filter(({ sha256 }) => !own.has(sha256.toString('hex'))).map(({ prefix }) => prefix),
  ]
  const counts = Map.groupBy(prefixes, (prefix) => prefix)
  const limited = incoming.filter(({ limits }) => isSet(limits))
  const isAlone = (key: IncomingKey) => counts.get(prefixOf(key))?.length === 1
  const reason =
    'Another key has the same prefix, and the catalogue limits keys by their prefix. Rotate one of them, and limit it by hand.'
  return {
    limits: [
      ...accounts.flatMap(({ source_id, limits: limit }) => {
        const name = names.get(source_id)
        return name !== undefined && isSet(limit) ? [{ of: 'accounts' as const, name, limit }] : []
      }),
      ...limited
        .filter(isAlone)
        .map((key) => ({ of: 'keys' as const, name: prefixOf(key), limit: key.limits })),
    ],
    left_out: limited
      .filter((key) => !isAlone(key))
      .map(({ source_id }) => ({ kind: 'rate limits', row: source_id, reason })),
  }
}

const isSet = (limits: Limit): boolean => Object.values(limits).some((limit) => limit !== undefined)
