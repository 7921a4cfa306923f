// What of many rows does not come in for one reason, as a single line: how many, and the first of them by name.
import type { LeftOut } from '../move-in.ts'

const MAX_NAMED_ROWS = 5

/** Lines of what is left out, in the order in which they were first met. */
export class Collected {
  readonly #lines = new Map<string, { kind: string; what: string; reason: string; rows: string[] }>()

  /**
   * @param what it is of each row: "model_max_budget"
   * @param row its name, without secrets
   */
  add(kind: string, what: string, row: string, reason: string): void {
    const key = JSON.stringify([kind, what, reason])
    const line = this.#lines.get(key) ?? { kind, what, reason, rows: [] }
    line.rows.push(row)
    this.#lines.set(key, line)
  }

  leftOut(): readonly LeftOut[] {
    return [...this.#lines.values()].map(({ kind, what, reason, rows }) => {
      const named = rows.slice(0, MAX_NAMED_ROWS).join(', ')
      const more = rows.length - MAX_NAMED_ROWS
      return { kind, row: `${what} of ${named}${more > 0 ? ` and ${more} more` : ''}`, reason }
    })
  }
}
