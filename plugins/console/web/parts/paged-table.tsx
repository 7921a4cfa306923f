// List with pages: its table, the states of its query, texts for an empty list, and the buttons to other pages.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { EmptyState, Loaded, type Query } from './states.tsx'
import { Pager, type PagerProps, Table, type TableProps } from './table.tsx'

interface PagedTableProps<Answer, Row>
  extends Omit<TableProps<Row>, 'rows'>,
    Pick<PagerProps, 'param' | 'newest' | 'older'> {
  query: Query<Answer>
  rowsOf: (answer: Answer) => readonly Row[]
  none: ReactNode
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
  /** The name of the rows: "transactions". */
  what: string
  clear: () => void
}

export const NoneFound = ({ what, clear }: NoneFoundProps) => (
  <EmptyState title={`No ${what} found`} action={<Button onClick={clear}>{`Show all ${what}`}</Button>}>
    Change the filter, or show all.
  </EmptyState>
)
