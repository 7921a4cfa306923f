// A button that chooses files from this device: images, where it is not told otherwise.
import type { LucideIcon } from 'lucide-react'
import { useRef } from 'react'
import { Button, type Look } from './button.tsx'
import { ACCEPTED } from './upload.ts'

interface FileButtonProps {
  onFiles: (files: File[]) => void
  busy?: boolean
  icon: LucideIcon
  /** As in HTML. */
  accept?: string
  /** Only one at a time. */
  single?: boolean
  look?: Look
  small?: boolean
  disabled?: boolean
  /** What it says: "Upload images". */
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
          // The same file can be chosen again.
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
