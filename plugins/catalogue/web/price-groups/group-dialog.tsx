// The dialog to add, change or delete a price group, with the review that all catalogue forms have.
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, send } from '../../../console/web/app/client.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Dialog } from '../../../console/web/parts/dialog.tsx'
import { Form, SubmitOrCancel } from '../../../console/web/parts/form.tsx'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { useFile } from '../parts/draft.ts'
import { ReviewDialog, useReview } from '../parts/review-dialog.tsx'
import { useSaveCatalogue } from '../parts/saving.ts'
import { type Block, blocksOf, type CatalogueFile, type Edit, textAt } from '../parts/values.ts'
import { blockOf, draftOf, type GroupDraft, GroupFields } from './group-form.tsx'
import type { Group } from './price-group-field.tsx'

interface GroupDialogProps {
  /** Undefined: a new group. */
  group: Group | undefined
  onClose: () => void
}

export function GroupDialog({ group, onClose }: GroupDialogProps) {
  const file = useFile()
  return (
    <Dialog open onClose={onClose} title={group ? `Edit ${group.name}` : 'New price group'}>
      <Loaded query={file}>{(read) => <GroupForm file={read} group={group} onClose={onClose} />}</Loaded>
    </Dialog>
  )
}

function GroupForm({ file, group, onClose }: GroupDialogProps & { file: CatalogueFile }) {
  const [draft, setDraft] = useState(draftOf(group))
  const [deletes, setDeletes] = useState(false)
  const save = useSaveCatalogue(onClose)
  const { reviewing, open } = useReview(
    () => checkedText(editOf(file, group, deletes ? null : draft)),
    file,
    save,
  )
  const close = () => {
    setDeletes(false)
    reviewing.close()
  }
  return (
    <Form submit={() => open.mutateAsync()} aria-label="Price group">
      <GroupFields draft={draft} onChange={setDraft} has_accounts={(group?.accounts ?? 0) > 0} />
      <SubmitOrCancel onCancel={onClose}>Review changes</SubmitOrCancel>
      {group && (
        <div>
          <Button small icon={Trash2} type="submit" onClick={() => setDeletes(true)}>
            Delete group
          </Button>
        </div>
      )}
      <ReviewDialog
        reviewing={{ ...reviewing, close }}
        title={deletes ? `Delete ${group?.name}?` : 'Review price group'}
        verb={deletes ? 'Delete group' : 'Save group'}
      />
    </Form>
  )
}

function editOf(file: CatalogueFile, group: Group | undefined, draft: GroupDraft | null): Edit {
  const place = blocksOf(file.values as Block | null, 'price_groups').findIndex(
    (block) => textAt(block, 'name') === group?.name,
  )
  const path = ['price_groups', place]
  if (!draft) return { op: 'remove', path }
  return place < 0
    ? { op: 'add', path: ['price_groups'], value: blockOf(draft) }
    : { op: 'set', path, value: blockOf(draft) }
}

/** Returns the draft's text. @throws Error with the first mistake */
async function checkedText(edit: Edit): Promise<string> {
  const { text, mistakes } = await send(api.catalogue.check.post({ edits: [edit] }))
  const [mistake] = mistakes
  if (!mistake) return text
  const field = mistake.path.replace(/^price_groups\[\d+\]\.?/, '')
  throw new Error(`${field} ${mistake.message}.`.trim())
}
