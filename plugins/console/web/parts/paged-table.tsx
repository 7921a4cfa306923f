// A list that the server pages: its table in each state of its answer, the words of an empty one, and the way to the next page.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { EmptyState, Loaded, type Query } from './states.tsx'
import { Pager, type PagerProps, Table, type TableProps } from './table.tsx'

interface PagedTableProps<Answer, Row>
  extends Omit<TableProps<Row>, 'rows'>,
    Pick<PagerProps, 'param' | 'newest' | 'older'> {
  query: Query<Answer>
  rowsOf: (answer: Answer) => readonly Row[]
  /** In the place of a table without rows. */
  none: ReactNode
  /** The same while a filter is in force. */
  filtered?: NoneFoundProps | false
}

export const PagedTable = <Answer extends Pick<PagerProps, 'next_cursor'>, Row>({
  query,
  rowsOf,
  none,
  filtered,
  param,
  newest,
  older,
  ...table
}: PagedTableProps<Answer, Row>) => (
  <Loaded query={query} rows={6}>
    {(answer) => {
      const rows = rowsOf(answer)
      if (rows.length === 0) return filtered ? <NoneFound {...filtered} /> : none
      return (
        <>
          <Table {...table} rows={rows} />
          <Pager next_cursor={answer.next_cursor} {...{ param, newest, older }} />
        </>
      )
    }}
  </Loaded>
)

interface NoneFoundProps {
  /** The rows, in words: "transactions". */
  what: string
  clear: () => void
}

/** Nothing matches a filter. */
export const NoneFound = ({ what, clear }: NoneFoundProps) => (
  <EmptyState title={`No ${what} found`} action={<Button onClick={clear}>{`Show all ${what}`}</Button>}>
    Change the filter, or show all.
  </EmptyState>
)
