// What changed, for screen readers: a live region beside the page.
let region: HTMLElement | undefined

/** Says something to screen readers, without moving the focus. */
export function announce(words: string): void {
  if (!region) {
    region = document.createElement('div')
    region.className = 'unseen'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  // The same words twice are a change, too.
  region.textContent = ''
  const place = region
  setTimeout(() => {
    place.textContent = words
  }, 50)
}
