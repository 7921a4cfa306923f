// Groups of consecutive refused requests that are equal except for their times. Pure.

interface ListedRequest {
  outcome: string
  account_id: number
  key_id: number
  model: string
  status: number
  /** The message of a refusal; null for calls. */
  refusal: string | null
}

type NonEmpty<Row> = readonly [Row, ...Row[]]

/** Groups consecutive refusals with the same reason, key and model. Messages may differ in numbers: "Retry after 3 s". */
export function equalRefusals<Row extends ListedRequest>(rows: readonly Row[]): NonEmpty<Row>[] {
  const groups: [Row, ...Row[]][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last && row.refusal !== null && groupKey(row) === groupKey(last[0])) last.push(row)
    else groups.push([row])
  }
  return groups
}

const groupKey = ({ account_id, key_id, model, status, refusal }: ListedRequest): string =>
  JSON.stringify([account_id, key_id, model, status, refusal?.replace(/\d+/g, '#')])
