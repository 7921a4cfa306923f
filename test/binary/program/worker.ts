// The worker of the program beside it.
declare const self: Worker
self.onmessage = ({ data }) => self.postMessage(`${data} pong`)
