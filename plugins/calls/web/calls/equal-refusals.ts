// Refused requests that are equal but for their times, one after the other in a list. Pure.

interface ListedRequest {
  outcome: string
  account_id: number
  key_id: number
  model: string
  status: number
  /** The message of a refusal; null for calls. */
  refusal: string | null
}

type Some<Row> = readonly [Row, ...Row[]]

/** The rows in their order; refusals for one reason, by one key and of one model stand together. Messages may differ in numbers: "Retry after 3 s". */
export function equalRefusals<Row extends ListedRequest>(rows: readonly Row[]): Some<Row>[] {
  const groups: [Row, ...Row[]][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last && row.refusal !== null && sameOf(row) === sameOf(last[0])) last.push(row)
    else groups.push([row])
  }
  return groups
}

const sameOf = ({ account_id, key_id, model, status, refusal }: ListedRequest): string =>
  JSON.stringify([account_id, key_id, model, status, refusal?.replace(/\d+/g, '#')])
