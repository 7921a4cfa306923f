// Table of rows that the server sorts and pages. A row can be a link to its detail page.
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useAddressState } from './address-state.ts'
import { decimalsFor } from './amounts.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Money } from './money.tsx'

/** The place of a cell on a phone, where a row has two lines. */
type PhonePlace = 'first' | 'first-end' | 'second' | 'second-end' | 'none'

export interface Column<Row> {
  /** Unique in the table. If `sorts` is set, the server's name of the order. */
  key: string
  title: string
  /** Renders a cell. In the first column of rows that are links it must not contain a button (`<Id copy={false} …>`). */
  cell: (row: Row, decimals: number) => ReactNode
  /** Set for a column of charges. All amounts of a table have the same number of decimals, which `cell` gets, so that they can be added up. */
  amounts?: (row: Row) => number | null
  hint?: string
  end?: boolean
  sorts?: boolean
  phone: PhonePlace
}

export const column = <Row,>(
  key: string,
  title: string,
  phone: PhonePlace,
  cell: (row: Row) => ReactNode,
): Column<Row> => ({ key, title, phone, cell })

/** A column aligned at its end, for numbers or buttons. */
export const endColumn: typeof column = (...args) => ({ ...column(...args), end: true })

/** A column of charges in USD, with the same number of decimals in each row. @param cell renders more than the amount */
export const chargeColumn = <Row,>(
  key: string,
  title: string,
  phone: PhonePlace,
  amounts: (row: Row) => number | null,
  cell: Column<Row>['cell'] = (row, decimals) => (
    <Money nanos={amounts(row)} decimals={decimals} unit={false} />
  ),
): Column<Row> => ({ key, title, phone, amounts, cell, end: true })

/** Adds a hint to a column about the last 7 days, which says which days these are. */
export const withWeekHint = <Row,>(of: Column<Row>): Column<Row> => ({
  ...of,
  hint: 'Today and the 6 days before it',
})

/** The order of the rows: `'cost'` ascending, `'-cost'` descending. */
interface Sorting {
  by: string
  onSort: (by: string) => void
}

export interface TableProps<Row> {
  /** The name of the list, for screen readers: "Calls". */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** Returns the address of a row's detail page. The link is in the first cell, and covers the whole row. */
  hrefOf?: ((row: Row) => string) | undefined
  /** Returns text that distinguishes the link from those of other rows, for screen readers, which list links. */
  linkNameOf?: (row: Row) => string
  sorting?: Sorting
  /** Whether the page was opened for this row. */
  isMarked?: (row: Row) => boolean
  /** The last lines, such as the sum of all rows, those of other pages included. */
  foot?: readonly Row[]
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, hrefOf, linkNameOf, sorting, isMarked, foot } = props
  const decimals = decimalsFor(columns.flatMap(({ amounts }) => (amounts ? rows.map(amounts) : [])))
  const cellsOf = (row: Row, inFirst = (cell: ReactNode) => cell) =>
    columns.map(({ key, title, end, phone, cell, amounts }, at) => {
      const content = cell(row, decimals)
      const usd = title.endsWith('USD') && amounts?.(row) !== null ? title.replace(/,? ?USD$/, '') : undefined
      return (
        <td key={key} className={classNames(end && 'end')} data-phone={phone} data-usd={usd}>
          {at === 0 ? inFirst(content) : content}
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
              className={classNames(hrefOf && 'links')}
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
  const className = classNames(end && 'end')
  // A column of buttons has no title; screen readers would announce an empty heading.
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
  /** The server's cursor of the next page; null on the last page. */
  next_cursor: number | string | null
  param?: string
  newest?: string
  older?: string
}

/** Returns the cursor of the current page from the address; undefined on the first page. */
export function useCursor(param = 'cursor'): number | undefined {
  const [state] = useAddressState({ [param]: '' })
  return state[param] ? Number(state[param]) : undefined
}

/** Buttons to the next page and back to the first. Each page has its own address, so that the browser's back button works. */
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
