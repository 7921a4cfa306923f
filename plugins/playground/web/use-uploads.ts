// Files that become references: uploaded for the account that pays.
import { toast } from '../../console/web/app/toasts.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { messageOf } from '../../console/web/parts/thrown.ts'
import { uploadFiles } from '../../console/web/parts/upload.ts'
import { fileName, type Reference } from './reference.ts'

/** @param onAdded called with the uploaded files; a refusal becomes a toast */
export function useUploads(account: string | undefined, onAdded: (added: Reference[]) => void) {
  const upload = useAction({
    work: (files: File[]) => uploadFiles(files, { account }),
    changes: ['files'],
  })
  async function add(files: File[]): Promise<void> {
    try {
      const keys = await upload.runOrThrow(files)
      onAdded(keys.map((key): Reference => ({ is: 'file', id: key, label: fileName(key) })))
    } catch (failure) {
      toast({ tone: 'bad', text: messageOf(failure), subject: 'files' })
    }
  }
  return { busy: upload.busy, add: (files: File[]) => void add(files) }
}
