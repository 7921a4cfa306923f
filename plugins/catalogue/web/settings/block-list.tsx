// A list of named blocks in a section of settings, such as plans: each is added and changed in a dialog, or deleted.
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { api, send } from '../../../console/web/app/client.ts'
import { ConfirmButton, DialogButton } from '../../../console/web/parts/dialog-buttons.tsx'
import { column, endColumn, Table } from '../../../console/web/parts/table.tsx'
import { reportSaved } from '../parts/saving.ts'
import { type Block, listAt, textAt } from '../parts/values.ts'
import { ValuesInDialog } from './edit-limits.tsx'
import type { ValuesOptions } from './use-values.ts'

interface BlockListProps extends Omit<ValuesOptions, 'onSaved'> {
  /** What a block is: "plan". */
  noun: string
}

interface Row {
  index: number
  title: string
}

export function BlockList({ noun, ...options }: BlockListProps) {
  const { at, file } = options
  const queries = useQueryClient()
  const rows = (listAt((file.values ?? {}) as Block, ...at) as Block[]).map((block, index): Row => {
    return { index, title: textAt(block, 'title') || textAt(block, 'name') }
  })
  const verbOf = (index: number) => (index < rows.length ? 'Save changes' : `Add ${noun}`)
  const formAt = (index: number) => (close: () => void) => (
    <ValuesInDialog {...options} at={[...at, index]} verb={verbOf(index)} onClose={close} />
  )
  const remove = async ({ index, title }: Row) => {
    const edits = [{ op: 'remove' as const, path: [...at, index] }]
    const { hash } = await send(api.catalogue.save.post({ edits, hash: file.hash }))
    reportSaved(queries, `${title} deleted`, { base: file, hash })
  }
  const buttons = (row: Row) => (
    <span className="row">
      <DialogButton
        small
        right="operate"
        aria-label={`Edit ${row.title}`}
        title={row.title}
        content={formAt(row.index)}
      >
        Edit
      </DialogButton>
      <ConfirmButton
        small
        right="operate"
        aria-label={`Delete ${row.title}`}
        title={`Delete ${row.title}?`}
        consequence={`This ${noun} is removed from the configuration file. You can undo it right after.`}
        verb={`Delete ${noun}`}
        work={() => remove(row)}
        changes={[]}
      >
        Delete
      </ConfirmButton>
    </span>
  )
  return (
    <>
      {rows.length === 0 ? (
        <p className="soft">No {noun} yet.</p>
      ) : (
        <Table
          label={`Each ${noun}`}
          columns={[
            column<Row>('title', 'Name', 'first', ({ title }) => title),
            endColumn<Row>('buttons', '', 'first-end', buttons),
          ]}
          rows={rows}
          keyOf={({ index }) => index}
        />
      )}
      <div>
        <DialogButton icon={Plus} right="operate" title={`New ${noun}`} content={formAt(rows.length)}>
          Add {noun}
        </DialogButton>
      </div>
    </>
  )
}
