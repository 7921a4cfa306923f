// Files from this device: a file button, a drop zone, and their upload.
import { type LucideIcon, Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { sendRaw } from '../app/client.ts'
import { withQuery } from './address-state.ts'
import { Button, type Look } from './button.tsx'
import { classNames } from './class-names.ts'

/** The types that the gateway accepts. It detects the type from the bytes, not from the file's name. */
const ACCEPTED = 'image/png,image/jpeg,image/webp,image/gif'

/**
 * Uploads files: all of them, or none.
 *
 * @param query names the account, for the operator
 * @returns their keys, in the same order
 * @throws ApiError with the server's message
 */
export async function uploadFiles(files: readonly File[], query: { account?: string }): Promise<string[]> {
  const form = new FormData()
  for (const file of files) form.append('files', file)
  const answer = await sendRaw(withQuery('/console/api/files', query), { method: 'POST', body: form })
  const { uploaded } = (await answer.json()) as { uploaded: { key: string }[] }
  return uploaded.map(({ key }) => key)
}

interface DropZoneProps {
  onFiles: (files: File[]) => void
  busy: boolean
  /** The button's text: "Upload images". */
  verb: string
  children?: ReactNode
}

export function DropZone({ onFiles, busy, verb, children }: DropZoneProps) {
  const [is_over, setOver] = useState(false)

  function drop(event: DragEvent): void {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files]
    if (files.length > 0 && !busy) onFiles(files)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same by the keyboard
    <div
      className={classNames('drop-zone', is_over && 'drop-zone-over')}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileButton icon={Upload} busy={busy} onFiles={onFiles}>
        {verb}
      </FileButton>
      <span className="soft">{children}</span>
    </div>
  )
}

interface FileButtonProps {
  onFiles: (files: File[]) => void
  busy?: boolean
  icon: LucideIcon
  accept?: string
  single?: boolean
  look?: Look
  small?: boolean
  disabled?: boolean
  /** The button's text: "Upload images". */
  children: string
}

export function FileButton({
  onFiles,
  accept = ACCEPTED,
  single = false,
  children,
  ...button
}: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={!single}
        hidden
        onChange={(event) => {
          const files = [...(event.target.files ?? [])]
          // Reset, so that the same file can be chosen again.
          event.target.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
      <Button {...button} onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  )
}
