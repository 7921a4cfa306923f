// A table of the server's rows: sorted and paged there, each row a link to its detail.
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useAddressState } from './address-state.ts'
import { decimalsFor } from './amounts.ts'
import { Button } from './button.tsx'
import { names } from './class-names.ts'
import { Money } from './money.tsx'

/** Where a cell stands on a phone, where a row is two lines. */
type PhonePlace = 'first' | 'first-end' | 'second' | 'second-end' | 'none'

export interface Column<Row> {
  /** Unique in the table; also what the server sorts by, where `sorts`. */
  key: string
  title: string
  /** In the first column of rows that are links: words only, for a link holds no buttons (`<Id copy={false} …>`). */
  cell: (row: Row, decimals: number) => ReactNode
  /** The amounts of a column of charges. All amounts of a table have the same decimals, so that its rows add up: `cell` gets their number. */
  amounts?: (row: Row) => number | null
  /** What the title means exactly, on hover. */
  hint?: string
  /** Numbers stand at the end. */
  end?: boolean
  sorts?: boolean
  phone: PhonePlace
}

/** A column of words. */
export const column = <Row,>(
  key: string,
  title: string,
  phone: PhonePlace,
  cell: (row: Row) => ReactNode,
): Column<Row> => ({ key, title, phone, cell })

/** A column that stands at its end: of numbers, or of buttons. */
export const atEnd: typeof column = (...args) => ({ ...column(...args), end: true })

/** A column of charges in USD, with the same decimals in each row. @param cell what stands there, if more than the amount */
export const charges = <Row,>(
  key: string,
  title: string,
  phone: PhonePlace,
  amounts: (row: Row) => number | null,
  cell: Column<Row>['cell'] = (row, decimals) => (
    <Money nanos={amounts(row)} decimals={decimals} unit={false} />
  ),
): Column<Row> => ({ key, title, phone, amounts, cell, end: true })

/** A column of the last 7 days of the zone in force, which says which days these are. */
export const ofWeek = <Row,>(one: Column<Row>): Column<Row> => ({
  ...one,
  hint: 'Today and the 6 days before it',
})

/** By which column, and which way: `'cost'`, `'-cost'` from the largest down. */
interface Sorting {
  by: string
  onSort: (by: string) => void
}

export interface TableProps<Row> {
  /** What is listed, for screen readers: "Calls". */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** The detail of a row: its first cell is the link, which the whole row takes. */
  hrefOf?: ((row: Row) => string) | undefined
  /** What tells its link from those of other rows, after the words of its first cell: for screen readers, which list links. */
  linkNameOf?: (row: Row) => string
  sorting?: Sorting
  /** The row that the page was opened for. */
  isMarked?: (row: Row) => boolean
  /** The last lines, such as the sum of all rows, those of other pages included. */
  foot?: readonly Row[]
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, hrefOf, linkNameOf, sorting, isMarked, foot } = props
  const decimals = decimalsFor(columns.flatMap(({ amounts }) => (amounts ? rows.map(amounts) : [])))
  const cellsOf = (row: Row, inFirst = (cell: ReactNode) => cell) =>
    columns.map(({ key, end, phone, cell }, at) => {
      const shown = cell(row, decimals)
      return (
        <td key={key} className={names(end && 'end')} data-phone={phone}>
          {at === 0 ? inFirst(shown) : shown}
        </td>
      )
    })
  return (
    <div className="table-place">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, title, hint, end, sorts }) => (
              <HeadCell key={key} sort_key={key} {...{ title, hint, end, sorts, sorting }} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={names(hrefOf && 'links')}
              aria-current={isMarked?.(row) || undefined}
            >
              {cellsOf(row, (cell) =>
                hrefOf ? (
                  <Link className="row-link" href={hrefOf(row)}>
                    {cell}
                    {linkNameOf && <span className="unseen"> {linkNameOf(row)}</span>}
                  </Link>
                ) : (
                  cell
                ),
              )}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot>
            {foot.map((row) => (
              <tr key={keyOf(row)}>{cellsOf(row)}</tr>
            ))}
          </tfoot>
        )}
      </table>
    </div>
  )
}

interface HeadCellProps {
  title: string
  hint?: string
  end?: boolean
  sorts?: boolean
  sort_key: string
  sorting: Sorting | undefined
}

function HeadCell({ title, hint, end, sorts, sorting, sort_key }: HeadCellProps) {
  const className = names(end && 'end')
  // A column of buttons has no name: an empty heading would be read out.
  if (title === '') return <td className={className} />
  const by = sorts ? sorting?.by : undefined
  const is_down = by === `-${sort_key}`
  const is_up = by === sort_key
  return (
    <th
      scope="col"
      className={className}
      title={hint}
      aria-sort={is_up ? 'ascending' : is_down ? 'descending' : undefined}
    >
      {sorts && sorting ? (
        <button type="button" onClick={() => sorting.onSort(is_down ? sort_key : `-${sort_key}`)}>
          {title}
          {is_down && <ArrowDown className="icon" aria-hidden />}
          {is_up && <ArrowUp className="icon" aria-hidden />}
        </button>
      ) : (
        title
      )}
    </th>
  )
}

export interface PagerProps {
  /** As the server answers it; null on the last page. */
  next_cursor: number | string | null
  /** The name of the cursor in the address. */
  param?: string
  /** What is listed, from the newest on. */
  newest?: string
  older?: string
}

/** The cursor of the page in view, from the address; undefined on the first page. */
export function useCursor(param = 'cursor'): number | undefined {
  const [state] = useAddressState({ [param]: '' })
  return state[param] ? Number(state[param]) : undefined
}

/** To the next page, and back to the first. Each page has an address: the browser's back button works. */
export function Pager({ next_cursor, param = 'cursor', newest = 'Newest', older = 'Older' }: PagerProps) {
  const [state, change] = useAddressState({ [param]: '' })
  const is_first = !state[param]
  if (is_first && next_cursor === null) return null
  const go = (cursor: string) => {
    change({ [param]: cursor }, { push: true })
    scrollTo({ top: 0 })
  }
  return (
    <nav className="pager" aria-label="Pages">
      <Button small disabled={is_first} onClick={() => go('')}>
        {newest}
      </Button>
      <Button small disabled={next_cursor === null} onClick={() => go(String(next_cursor))}>
        {older}
      </Button>
    </nav>
  )
}
