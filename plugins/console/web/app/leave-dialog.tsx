// The question before a page with unsaved changes is left.
import { useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { useLeaving } from './leaving.ts'

export function LeaveDialog() {
  const { is_waiting, stay, leave } = useLeaving()
  const first = useRef<HTMLButtonElement>(null)
  return (
    <Dialog open={is_waiting} onClose={stay} title="Leave without saving?" first={first}>
      <div>
        Your changes are not in force yet. They stay in this tab as a draft: come back to save or discard
        them.
      </div>
      <DialogActions>
        <Button ref={first} onClick={stay}>
          Stay on this page
        </Button>
        <Button look="primary" onClick={leave}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  )
}
