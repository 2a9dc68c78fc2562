import { begin } from "./app.js";
import { server } from "./source.js";

begin(server);
