// Uploaded files in the library: quota, upload by drag and drop, and deletion.
import { FolderUp } from 'lucide-react'
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { toast } from '../../console/web/app/toasts.tsx'
import { AccountChoice, type AccountScope } from '../../console/web/parts/account-choice.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { bytes, countNoun, share } from '../../console/web/parts/amounts.ts'
import { copyText } from '../../console/web/parts/copy.tsx'
import { ConfirmDialog } from '../../console/web/parts/dialog.tsx'
import { ExportCsv } from '../../console/web/parts/export-csv.tsx'
import { DropZone, uploadFiles } from '../../console/web/parts/files.tsx'
import { Menu } from '../../console/web/parts/menu.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { asReference, filePicture, fileThumbnail, Thumbnail } from '../../console/web/parts/pictures.tsx'
import { EmptyState, Loaded } from '../../console/web/parts/states.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { type Column, column, endColumn, Pager, Table, useCursor } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { HiddenPictures, useContents } from './hidden-pictures.tsx'

type FilesView = AnswerOf<typeof api.files.get>
type FileRow = FilesView['files'][number]

/** The name of the cursor in the address, separate from that of generated images. */
const CURSOR = 'files_cursor'

export function Uploaded({ scope }: { scope: AccountScope }) {
  if (scope.is_operator && scope.account === undefined)
    return <AccountChoice why="Choose an account to see its uploaded files." onChoose={scope.choose} />
  return <FilesOf scope={scope} />
}

function FilesOf({ scope }: { scope: AccountScope }) {
  const cursor = useCursor(CURSOR)
  const { is_operator } = scope
  const { is_visible, content, show } = useContents(is_operator)
  const may_change = useMay('call')
  const query = useApi(['files', scope.account, cursor, is_visible], () =>
    api.files.get({ query: { ...scope.query, cursor, content } }),
  )
  const upload = useAction({
    work: (files: File[]) => uploadFiles(files, scope.query),
    changes: ['files'],
    done: (files) => ({ text: `${countNoun(files.length, 'image')} uploaded` }),
  })
  return (
    <Loaded query={query} rows={6}>
      {({ files, next_cursor, quota }) => (
        <div className="stack">
          <div className="spread list-head">
            <Quota quota={quota} />
            <ExportCsv list="files" query={{ ...scope.query, content }} />
          </div>
          {may_change && (
            <DropZone verb="Upload images" busy={upload.busy} onFiles={upload.run}>
              or drop them here: PNG, JPEG, WebP or GIF, of at most 25 MB each
            </DropZone>
          )}
          {is_operator && !is_visible && (
            <HiddenPictures onShow={show}>
              File names and pictures are private to the account. They are hidden until you show them.
            </HiddenPictures>
          )}
          {files.length === 0 ? (
            <EmptyState icon={FolderUp} title="No files yet">
              Upload images to edit and compose them, by the API or in the playground.
            </EmptyState>
          ) : (
            <FileTable files={files} scope={scope} is_visible={is_visible} />
          )}
          <Pager next_cursor={next_cursor} param={CURSOR} />
        </div>
      )}
    </Loaded>
  )
}

function Quota({ quota: { used_bytes, limit_bytes } }: { quota: FilesView['quota'] }) {
  const used = used_bytes / limit_bytes
  return (
    <div className="files-quota">
      <span>
        <b>{megabytes(used_bytes)} MB</b> of {megabytes(limit_bytes)} MB used
      </span>
      <meter className="bar" aria-label="Used of the quota" min={0} max={1} high={0.9} value={used}>
        {share(used)}
      </meter>
      {used > 0.9 && <Notice tone="warn">Almost full. Delete files that you no longer need.</Notice>}
    </div>
  )
}

/** In binary megabytes, like the quota. */
function megabytes(size_bytes: number): string {
  const size_mb = size_bytes / 1024 / 1024
  return size_mb >= 100 || size_mb === 0 ? size_mb.toFixed(0) : size_mb.toFixed(size_mb < 1 ? 2 : 1)
}

interface FileTableProps {
  files: readonly FileRow[]
  scope: AccountScope
  is_visible: boolean
}

function FileTable({ files, scope, is_visible }: FileTableProps) {
  const [to_delete, setToDelete] = useState<FileRow | null>(null)
  const { is_operator, account } = scope
  const remove = useAction({
    work: (key: string) => send(api.files.delete(undefined, { query: { key } })),
    changes: ['files'],
    done: () => ({ text: 'The file is deleted.' }),
  })
  const may_change = useMay('call')
  const columns: Column<FileRow>[] = [
    column('name', 'Name', 'first', (file) => (
      <FileName file={file} is_operator={is_operator} is_visible={is_visible} />
    )),
    endColumn('size', 'Size', 'second-end', (file) => bytes(file.bytes)),
    endColumn('pixels', 'Pixels', 'none', ({ width, height }) => `${width} × ${height}`),
    column('created', 'Uploaded', 'second', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
    endColumn('actions', '', 'first-end', (file) => (
      <Menu
        label={`More for ${file.name ?? 'this file'}`}
        items={[
          ...(file.state === 'stored' && may_change
            ? [{ label: 'Use as reference', href: asReference(file.key, account) }]
            : []),
          { label: 'Copy key', onSelect: () => void copyKey(file.key) },
          ...(may_change
            ? ['line' as const, { label: 'Delete file', danger: true, onSelect: () => setToDelete(file) }]
            : []),
        ]}
      />
    )),
  ]
  return (
    <>
      <Table label="Files" columns={columns} rows={files} keyOf={({ key }) => key} />
      <ConfirmDialog
        open={to_delete !== null}
        onClose={() => setToDelete(null)}
        title={`Delete ${to_delete?.name ?? 'this file'}?`}
        consequence="Deleted permanently. Images made from it are kept."
        verb="Delete file"
        confirm={() => remove.runOrThrow(to_delete?.key ?? '')}
      />
    </>
  )
}

async function copyKey(key: string): Promise<void> {
  const done = await copyText(key)
  const result = done
    ? { text: 'Copied. Send it as image_key.' }
    : { tone: 'bad' as const, text: `Copy it by hand: ${key}` }
  toast({ ...result, subject: 'files' })
}

interface FileNameProps {
  file: FileRow
  is_operator: boolean
  is_visible: boolean
}

function FileName({ file, is_operator, is_visible }: FileNameProps) {
  const { key, name, state } = file
  if (!is_visible || name === null)
    return <code>{key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('/') + 9)}…</code>
  return (
    <span className="files-name">
      {state === 'stored' ? (
        <a href={filePicture(key, is_operator)} target="_blank" rel="noreferrer">
          <span className="files-picture">
            <Thumbnail src={fileThumbnail(key, is_operator)} alt="" />
          </span>
          {name}
        </a>
      ) : (
        <>
          {name} <Status tone="warn">missing</Status>
        </>
      )}
    </span>
  )
}
