<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="es" sourcelanguage="en">
<context>
    <name>Ctl</name>
    <message>
        <source>--limit takes a number from 1 to 500.</source>
        <translation>--limit admite un número de 1 a 500.</translation>
    </message>
    <message>
        <source>--since takes an age as 30m, 2h or 3d, or a time as 2026-11-30T03:00:00Z.</source>
        <translation>--since admite una antigüedad como 30m, 2h o 3d, o una hora como 2026-11-30T03:00:00Z.</translation>
    </message>
    <message>
        <source>--mode takes live, test or practice.</source>
        <translation>--mode admite live, test o practice.</translation>
    </message>
    <message>
        <source>There is no option %1.</source>
        <translation>No existe la opción %1.</translation>
    </message>
    <message>
        <source>%1 needs a value, or is no option.</source>
        <translation>%1 necesita un valor, o no es una opción.</translation>
    </message>
    <message>
        <source>Write it as: %1</source>
        <translation>Escríbelo así: %1</translation>
    </message>
    <message>
        <source>Which store? Add --store sqlite:///path/store.db or --store postgresql://user@host:5432/db, or set UNAVEZ_STORE.</source>
        <translation>¿Qué almacén? Añade --store sqlite:///ruta/store.db o --store postgresql://usuario@host:5432/db, o define UNAVEZ_STORE.</translation>
    </message>
    <message>
        <source>There is no verb %1. See unavezctl --help.</source>
        <translation>No existe la orden %1. Mira unavezctl --help.</translation>
    </message>
    <message>
        <source>unavezctl: what the store knows, and the guarded actions on it

  unavezctl status [--check]              what needs somebody, what is held, which services are alive
  unavezctl list KIND                     stuck unknown failed dead lost leases signatures events keys log incidents services
  unavezctl case ID                       one case: event, job, lease, reservation, calls, outcome, and what may be done
  unavezctl requeue job:N                 run the job again; effects that happened replay, none is repeated
  unavezctl release job:N                 free an expired lease
  unavezctl expire KEY                    a reservation past its cutoff becomes unknown
  unavezctl attempt INTENT                open the next attempt key after a definitive failure
  unavezctl hold KIND [TARGET]            tool NAME | source NAME | sends; with --release, lift it
  unavezctl log [verify]                  what people did, or whether that record is whole
  unavezctl migrate [--mode MODE]         make or upgrade the store&apos;s schema (a new one needs live, test or practice)

  --store URL     sqlite:///path or postgresql://user@host:port/db (else UNAVEZ_STORE). Passwords by PGPASSFILE.
  --json          one JSON object on stdout
  --dry-run       show the plan, change nothing
  --reason TEXT   why, at least 8 characters; kept in the log
  --yes           confirm an action on a live store
  --limit N --cursor C --source NAME --since AGE     for list and log

IDs: evt_…, a key, an intent, a provider&apos;s object; job:48211; update:bot42:9.
Exit: 0 done, 1 refused or changed, 2 usage, 3 no store or schema, 4 problems found (status --check, log verify), 5 applied in part.
</source>
        <translation>unavezctl: lo que sabe el almacén y las acciones protegidas sobre él

  unavezctl status [--check]              qué necesita a alguien, qué está retenido, qué servicios viven
  unavezctl list KIND                     stuck unknown failed dead lost leases signatures events keys log incidents services
  unavezctl case ID                       un caso: evento, trabajo, concesión, reserva, llamadas, resultado y qué se puede hacer
  unavezctl requeue job:N                 ejecuta de nuevo el trabajo; lo que ya tuvo efecto se repite desde lo guardado, nada ocurre dos veces
  unavezctl release job:N                 libera una concesión vencida
  unavezctl expire KEY                    una reserva pasada de su límite pasa a unknown
  unavezctl attempt INTENT                abre la siguiente clave de intento tras un fallo definitivo
  unavezctl hold KIND [TARGET]            tool NOMBRE | source NOMBRE | sends; con --release, la levanta
  unavezctl log [verify]                  qué hizo la gente, o si ese registro está íntegro
  unavezctl migrate [--mode MODE]         crea o actualiza el esquema (uno nuevo necesita live, test o practice)

  --store URL     sqlite:///ruta o postgresql://usuario@host:puerto/db (si no, UNAVEZ_STORE). Contraseñas por PGPASSFILE.
  --json          un objeto JSON por la salida
  --dry-run       muestra el plan, no cambia nada
  --reason TEXT   por qué, al menos 8 caracteres; queda en el registro
  --yes           confirma una acción sobre un almacén real (live)
  --limit N --cursor C --source NAME --since AGE     para list y log

ID: evt_…, una clave, una intención, un objeto del proveedor; job:48211; update:bot42:9.
Salida: 0 hecho, 1 rechazado o cambiado, 2 uso, 3 sin almacén o esquema, 4 hay problemas (status --check, log verify), 5 aplicado en parte.
</translation>
    </message>
    <message>
        <source>A new store needs its mode, for good: add --mode live, --mode test or --mode practice.</source>
        <translation>Un almacén nuevo necesita su modo, para siempre: añade --mode live, --mode test o --mode practice.</translation>
    </message>
    <message>
        <source>The schema is %1 already; nothing to do.</source>
        <translation>El esquema ya es %1; no hay nada que hacer.</translation>
    </message>
    <message>
        <source>Made the schema %1.</source>
        <translation>Esquema %1 creado.</translation>
    </message>
    <message>
        <source>Upgraded the schema from %1 to %2.</source>
        <translation>Esquema actualizado de %1 a %2.</translation>
    </message>
    <message>
        <source>%1 is no store address (%2).</source>
        <translation>%1 no es la dirección de un almacén (%2).</translation>
    </message>
    <message>
        <source>A password in the address can be read by others on this host. Use PGPASSFILE.</source>
        <translation>Una contraseña en la dirección la pueden leer otros en este equipo. Usa PGPASSFILE.</translation>
    </message>
    <message>
        <source>There is no store there. unavezctl migrate makes one.</source>
        <translation>Ahí no hay ningún almacén. unavezctl migrate crea uno.</translation>
    </message>
    <message>
        <source>%1 has no job.</source>
        <translation>%1 no tiene trabajo.</translation>
    </message>
    <message>
        <source>%1 has more than one job. Write one of: %2</source>
        <translation>%1 tiene más de un trabajo. Escribe uno de estos: %2</translation>
    </message>
    <message>
        <source>%1 is not a key.</source>
        <translation>%1 no es una clave.</translation>
    </message>
    <message>
        <source>%1 is not a key. Its keys are: %2</source>
        <translation>%1 no es una clave. Sus claves son: %2</translation>
    </message>
    <message>
        <source>%1 has no intent.</source>
        <translation>%1 no tiene intención.</translation>
    </message>
    <message>
        <source>%1 has more than one intent. Write one of: %2</source>
        <translation>%1 tiene más de una intención. Escribe una de estas: %2</translation>
    </message>
    <message>
        <source>Write it as: unavezctl hold tool NAME, unavezctl hold source NAME, or unavezctl hold sends.</source>
        <translation>Escríbelo así: unavezctl hold tool NOMBRE, unavezctl hold source NOMBRE o unavezctl hold sends.</translation>
    </message>
    <message>
        <source>This store is LIVE and named only by UNAVEZ_STORE. Name it with --store.</source>
        <translation>Este almacén es REAL (live) y solo lo nombra UNAVEZ_STORE. Nómbralo con --store.</translation>
    </message>
    <message>
        <source>This store is LIVE. Look at the plan with --dry-run, then add --yes.</source>
        <translation>Este almacén es REAL (live). Mira el plan con --dry-run y después añade --yes.</translation>
    </message>
    <message>
        <source>This store is LIVE and the account is %1. Look at the plan with --dry-run, then add --yes.</source>
        <translation>Este almacén es REAL (live) y la cuenta es %1. Mira el plan con --dry-run y después añade --yes.</translation>
    </message>
    <message>
        <source>New attempt key: %1</source>
        <translation>Clave del nuevo intento: %1</translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation>Nota: %1</translation>
    </message>
    <message>
        <source>Release hold</source>
        <translation>Levantar la retención</translation>
    </message>
    <message>
        <source>%1 %2 would do this; nothing was changed:</source>
        <translation>%1 %2 haría esto; no se ha cambiado nada:</translation>
    </message>
    <message>
        <source>%1 %2: done.</source>
        <translation>%1 %2: hecho.</translation>
    </message>
    <message>
        <source>Log entry %1</source>
        <translation>Entrada %1 del registro</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>sin respuesta</translation>
    </message>
    <message>
        <source>replayed</source>
        <translation>repetida</translation>
    </message>
    <message>
        <source>job       %1 queued</source>
        <translation>trabajo    %1 en cola</translation>
    </message>
    <message>
        <source>job       %1 requeued</source>
        <translation>trabajo    %1 puesto de nuevo en cola</translation>
    </message>
    <message>
        <source>job       %1 dead: %2</source>
        <translation>trabajo    %1 muerto: %2</translation>
    </message>
    <message>
        <source>job       %1 %2</source>
        <translation>trabajo    %1 %2</translation>
    </message>
    <message>
        <source>event     %1 %2 received</source>
        <translation>evento     %1 %2 recibido</translation>
    </message>
    <message>
        <source>event     delivered %1 times so far</source>
        <translation>evento     entregado %1 veces hasta ahora</translation>
    </message>
    <message>
        <source>reserved  %1</source>
        <translation>reservada  %1</translation>
    </message>
    <message>
        <source>outcome   %1 %2 %3</source>
        <translation>resultado  %1 %2 %3</translation>
    </message>
    <message>
        <source>sent      %1</source>
        <translation>enviada    %1</translation>
    </message>
    <message>
        <source>evidence  %1 %2 by %3</source>
        <translation>prueba     %1 %2 de %3</translation>
    </message>
    <message>
        <source>refused: %1</source>
        <translation>rechazada: %1</translation>
    </message>
    <message>
        <source>action    %1 by %2: %3</source>
        <translation>acción     %1 de %2: %3</translation>
    </message>
    <message>
        <source>note      %1: %2</source>
        <translation>nota       %1: %2</translation>
    </message>
    <message>
        <source>First broken link: %1.</source>
        <translation>Primer eslabón roto: %1.</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Qué pasó</translation>
    </message>
    <message>
        <source>  Nothing is stored of it.</source>
        <translation>  No hay nada guardado.</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>Intentos</translation>
    </message>
    <message>
        <source>sends: %1</source>
        <translation>envíos: %1</translation>
    </message>
    <message>
        <source>resumable until %1</source>
        <translation>se puede retomar hasta %1</translation>
    </message>
    <message>
        <source>What can be done</source>
        <translation>Qué se puede hacer</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>sí</translation>
    </message>
    <message>
        <source>no</source>
        <translation>no</translation>
    </message>
    <message>
        <source>  Nothing: no action has a target here.</source>
        <translation>  Nada: ninguna acción tiene aquí un objetivo.</translation>
    </message>
    <message>
        <source>%1 names more than one thing. Write one of: %2</source>
        <translation>%1 nombra más de una cosa. Escribe una de estas: %2</translation>
    </message>
    <message>
        <source>There is no source %1. This store has: %2.</source>
        <translation>No existe la fuente %1. Este almacén tiene: %2.</translation>
    </message>
    <message>
        <source>Nothing in %1.</source>
        <translation>Nada en %1.</translation>
    </message>
    <message>
        <source>More: add --cursor %1</source>
        <translation>Hay más: añade --cursor %1</translation>
    </message>
    <message>
        <source>There is no list %1. The lists are: stuck unknown failed dead lost leases signatures events keys log incidents services.</source>
        <translation>No existe la lista %1. Las listas son: stuck unknown failed dead lost leases signatures events keys log incidents services.</translation>
    </message>
    <message>
        <source>Write it as: unavezctl log, or unavezctl log verify.</source>
        <translation>Escríbelo así: unavezctl log, o unavezctl log verify.</translation>
    </message>
    <message>
        <source>The log is broken at entry %1: it, or what came before it, was changed after it was written.</source>
        <translation>El registro está roto en la entrada %1: ella, o lo anterior, se cambió después de escribirse.</translation>
    </message>
    <message>
        <source>The log is whole: every entry follows from the one before it.</source>
        <translation>El registro está íntegro: cada entrada se sigue de la anterior.</translation>
    </message>
    <message>
        <source>%1 store, schema %2, %3. Read at %4.</source>
        <translation>Almacén %1, esquema %2, %3. Leído: %4.</translation>
    </message>
    <message>
        <source>oldest %1</source>
        <translation>el más antiguo, %1</translation>
    </message>
    <message>
        <source>, first cutoff in %1</source>
        <translation>, primer límite en %1</translation>
    </message>
    <message>
        <source>, a cutoff has passed</source>
        <translation>, ya pasó un límite</translation>
    </message>
    <message>
        <source>Nothing needs anybody.</source>
        <translation>Nada necesita a nadie.</translation>
    </message>
    <message>
        <source>Held: %1 since %2 by %3: %4</source>
        <translation>Retenido: %1 desde %2 por %3: %4</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>parado</translation>
    </message>
    <message>
        <source>heard of %1 ago</source>
        <translation>visto hace %1</translation>
    </message>
    <message>
        <source>NOT heard of for %1</source>
        <translation>SIN noticias desde hace %1</translation>
    </message>
    <message>
        <source>No service has ever been seen on this store.</source>
        <translation>Nunca se ha visto un servicio en este almacén.</translation>
    </message>
</context>
<context>
    <name>action</name>
    <message>
        <source>Requeue job</source>
        <translation>Reencolar el trabajo</translation>
    </message>
    <message>
        <source>Release lease</source>
        <translation>Liberar el arriendo</translation>
    </message>
    <message>
        <source>Expire reservation</source>
        <translation>Caducar la reserva</translation>
    </message>
    <message>
        <source>Open new attempt</source>
        <translation>Abrir un intento nuevo</translation>
    </message>
    <message>
        <source>Record outcome</source>
        <translation>Registrar el resultado</translation>
    </message>
    <message>
        <source>Discard job</source>
        <translation>Descartar el trabajo</translation>
    </message>
    <message>
        <source>Enqueue lost event</source>
        <translation>Encolar el evento perdido</translation>
    </message>
    <message>
        <source>Hold</source>
        <translation>Parar</translation>
    </message>
</context>
<context>
    <name>boot</name>
    <message>
        <source>There is no store there. Run unavezctl migrate to make one.</source>
        <translation>Ahí no hay ningún almacén. Créalo con unavezctl migrate.</translation>
    </message>
    <message>
        <source>The store's schema is older than this program. Run unavezctl migrate first.</source>
        <translation>El esquema del almacén es anterior a este programa. Ejecuta antes unavezctl migrate.</translation>
    </message>
    <message>
        <source>The store shows fewer provider calls than this host saw before: it was set back to a backup. It is in quarantine now; import evidence for the time since, then lift it.</source>
        <translation>El almacén muestra menos llamadas al proveedor que las que este equipo ya vio: se restauró una copia. Ahora está en cuarentena; importa las pruebas de ese periodo y después levántala.</translation>
    </message>
    <message>
        <source>The store shows fewer provider calls than this host saw before: it was set back to a backup, and this login may not quarantine it. Have an admin do it, then start again.</source>
        <translation>El almacén muestra menos llamadas al proveedor que las que este equipo ya vio: se restauró una copia, y este usuario no puede ponerlo en cuarentena. Que lo haga un administrador y arranca de nuevo.</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}). It tells a store set back to a backup from a whole one; remove it only if this store never was.</source>
        <translation>{path} no se puede leer ({why}). Distingue un almacén restaurado de una copia de uno entero; bórralo solo si este almacén nunca lo fue.</translation>
    </message>
    <message>
        <source>This login may not write the configured sources into the store. Start once as an admin login, or have an admin add them.</source>
        <translation>Este usuario no puede escribir las fuentes configuradas en el almacén. Arranca una vez con un usuario administrador, o que un administrador las añada.</translation>
    </message>
    <message>
        <source>The configured sources do not fit the store: {why}.</source>
        <translation>Las fuentes configuradas no encajan con el almacén: {why}.</translation>
    </message>
</context>
<context>
    <name>drill</name>
    <message>
        <source>Charged once, stored as done, and the job is done.</source>
        <translation>Cobrado una vez, guardado como hecho, y el trabajo está hecho.</translation>
    </message>
    <message>
        <source>The provider charged {n} times.</source>
        <translation>El proveedor cobró {n} veces.</translation>
    </message>
    <message>
        <source>Somebody charged past the gate, without an idempotency key.</source>
        <translation>Alguien cobró sin pasar por la puerta, sin clave de idempotencia.</translation>
    </message>
    <message>
        <source>The store says paid, and the provider has charged nothing.</source>
        <translation>El almacén dice pagado, y el proveedor no ha cobrado nada.</translation>
    </message>
    <message>
        <source>The job was thrown away: it never runs.</source>
        <translation>El trabajo se descartó: no se ejecutará nunca.</translation>
    </message>
    <message>
        <source>A second attempt was opened over a charge that had happened.</source>
        <translation>Se abrió un segundo intento sobre un cobro que ya había ocurrido.</translation>
    </message>
    <message>
        <source>The lease was taken from a worker that was alive.</source>
        <translation>Se le quitó el trabajo a un worker que seguía vivo.</translation>
    </message>
    <message>
        <source>The invoice is not paid yet.</source>
        <translation>La factura aún no está pagada.</translation>
    </message>
    <message>
        <source>No new attempt has been paid; a requeue alone replays the decline.</source>
        <translation>Ningún intento nuevo se ha pagado; reencolar sin más repite el rechazo.</translation>
    </message>
    <message>
        <source>The store does not know yet that it is paid.</source>
        <translation>El almacén aún no sabe que está pagada.</translation>
    </message>
    <message>
        <source>The job is not done yet.</source>
        <translation>El trabajo aún no está hecho.</translation>
    </message>
</context>
<context>
    <name>duration</name>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 d</translation>
    </message>
    <message>
        <source>%1 d %2 h</source>
        <translation>%1 d %2 h</translation>
    </message>
    <message>
        <source>never</source>
        <translation>nunca</translation>
    </message>
</context>
<context>
    <name>effect</name>
    <message>
        <source>replays its result</source>
        <translation>repite su resultado</translation>
    </message>
    <message>
        <source>replays its stored failure</source>
        <translation>repite su fallo guardado</translation>
    </message>
    <message>
        <source>resumes under the same key until {time}</source>
        <translation>se reanuda con la misma clave hasta las {time}</translation>
    </message>
    <message>
        <source>is sent for the first time</source>
        <translation>se envía por primera vez</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>se ejecuta</translation>
    </message>
</context>
<context>
    <name>error</name>
    <message>
        <source>The store cannot be reached. Check its address and that it runs.</source>
        <translation>No se llega al almacén. Comprueba su dirección y que esté en marcha.</translation>
    </message>
    <message>
        <source>The store did not answer in time. Look at its load, then try again.</source>
        <translation>El almacén no respondió a tiempo. Mira su carga y vuelve a intentarlo.</translation>
    </message>
    <message>
        <source>This login may not do that. Ask for the role it needs.</source>
        <translation>Este usuario no puede hacer eso. Pide el rol que hace falta.</translation>
    </message>
    <message>
        <source>That is not in this store.</source>
        <translation>Eso no está en este almacén.</translation>
    </message>
    <message>
        <source>Somebody else changed it at the same moment. Look again.</source>
        <translation>Alguien lo cambió en el mismo momento. Vuelve a mirarlo.</translation>
    </message>
    <message>
        <source>The store itself refused this change. Nothing was changed.</source>
        <translation>El propio almacén rechazó este cambio. No se cambió nada.</translation>
    </message>
    <message>
        <source>That cannot be meant. Check what you wrote.</source>
        <translation>Eso no puede ser. Revisa lo que escribiste.</translation>
    </message>
    <message>
        <source>What the store answered breaks its own rules. Run unavezctl check.</source>
        <translation>Lo que respondió el almacén incumple sus propias reglas. Ejecuta unavezctl check.</translation>
    </message>
    <message>
        <source>The store has no room left. Free some disk space.</source>
        <translation>El almacén no tiene sitio. Libera espacio en disco.</translation>
    </message>
    <message>
        <source>The store can only be read here. Connect to the primary.</source>
        <translation>Aquí el almacén solo se puede leer. Conéctate al primario.</translation>
    </message>
    <message>
        <source>There is no Unavez schema there. Run unavezctl migrate first.</source>
        <translation>Ahí no hay esquema de Unavez. Ejecuta antes unavezctl migrate.</translation>
    </message>
    <message>
        <source>The store&apos;s schema is newer than this program. Upgrade the program first.</source>
        <translation>El esquema del almacén es más nuevo que este programa. Actualiza antes el programa.</translation>
    </message>
    <message>
        <source>Cancelled. Nothing was changed.</source>
        <translation>Cancelado. No se cambió nada.</translation>
    </message>
</context>
<context>
    <name>reason</name>
    <message>
        <source>The store has not answered since {time}. Nothing can be changed until it does.</source>
        <translation>El almacén no responde desde {time}. No se puede cambiar nada hasta que responda.</translation>
    </message>
    <message>
        <source>This connection can only read ({why}). Connect to the primary.</source>
        <translation>Esta conexión solo puede leer ({why}). Conéctate al primario.</translation>
    </message>
    <message>
        <source>The store is at schema {n}, this program knows {m}. Upgrade it first.</source>
        <translation>El almacén está en el esquema {n} y este programa conoce el {m}. Actualiza antes el programa.</translation>
    </message>
    <message>
        <source>You confirmed {confirmed}, this store is {mode}.</source>
        <translation>Confirmaste {confirmed}, pero este almacén es {mode}.</translation>
    </message>
    <message>
        <source>{action} needs the role {role}; you are {login} ({roles}).</source>
        <translation>{action} requiere el rol {role}; eres {login} ({roles}).</translation>
    </message>
    <message>
        <source>The value {value} in {column} is not in this store&apos;s mapping, so nothing is offered on it.</source>
        <translation>El valor {value} de {column} no está en el mapeo de este almacén, así que no se ofrece nada sobre él.</translation>
    </message>
    <message>
        <source>{target} is not in this store.</source>
        <translation>{target} no está en este almacén.</translation>
    </message>
    <message>
        <source>{target} changed since you looked. Look again.</source>
        <translation>{target} cambió desde que lo miraste. Vuelve a mirarlo.</translation>
    </message>
    <message>
        <source>Write a reason of at least 8 characters.</source>
        <translation>Escribe un motivo de al menos 8 caracteres.</translation>
    </message>
    <message>
        <source>A second person must confirm this ({why}). Propose it?</source>
        <translation>Otra persona tiene que confirmarlo ({why}). ¿Lo propones?</translation>
    </message>
    <message>
        <source>{login} proposed this; somebody else must confirm.</source>
        <translation>Lo propuso {login}; tiene que confirmarlo otra persona.</translation>
    </message>
    <message>
        <source>The proposal of {time} is older than 24 h. Propose again.</source>
        <translation>La propuesta de {time} tiene más de 24 h. Vuelve a proponerlo.</translation>
    </message>
    <message>
        <source>Job {id} is queued already and runs at {time}.</source>
        <translation>El trabajo {id} ya está en cola y se ejecuta a las {time}.</translation>
    </message>
    <message>
        <source>Job {id} finished at {time}. There is nothing to run.</source>
        <translation>El trabajo {id} terminó a las {time}. No hay nada que ejecutar.</translation>
    </message>
    <message>
        <source>Job {id} was discarded at {time}.</source>
        <translation>El trabajo {id} se descartó a las {time}.</translation>
    </message>
    <message>
        <source>{owner} holds job {id} until {time}. Wait.</source>
        <translation>{owner} tiene el trabajo {id} hasta las {time}. Espera.</translation>
    </message>
    <message>
        <source>The lease of job {id} ended at {time}. The reaper frees it, or release it.</source>
        <translation>El arriendo del trabajo {id} venció a las {time}. Lo libera el recolector, o libéralo tú.</translation>
    </message>
    <message>
        <source>Job {id} is not leased.</source>
        <translation>Nadie tiene arrendado el trabajo {id}.</translation>
    </message>
    <message>
        <source>A provider call of this job started {age} ago and may still answer. Wait {s} s.</source>
        <translation>Una llamada al proveedor de este trabajo empezó hace {age} y aún puede responder. Espera {s} s.</translation>
    </message>
    <message>
        <source>The last try was {age} ago. Possible again at {time}.</source>
        <translation>El último intento fue hace {age}. Se podrá de nuevo a las {time}.</translation>
    </message>
    <message>
        <source>The payload was removed (event of {time}) and {provider} no longer serves this event.</source>
        <translation>El contenido ya se borró (evento de {time}) y {provider} ya no ofrece este evento.</translation>
    </message>
    <message>
        <source>The provider saw {key} with another body. Close incident {id} first.</source>
        <translation>El proveedor vio {key} con otro cuerpo. Cierra antes el incidente {id}.</translation>
    </message>
    <message>
        <source>{key} may have taken effect. Record its outcome first.</source>
        <translation>{key} puede haber surtido efecto. Registra antes su resultado.</translation>
    </message>
    <message>
        <source>{key} is being worked on by {owner} until {time}. Wait.</source>
        <translation>{owner} está con {key} hasta las {time}. Espera.</translation>
    </message>
    <message>
        <source>{key} was first sent at {time}, which lies in the future: the clock stepped. Expire it, then record its outcome.</source>
        <translation>{key} se envió por primera vez a las {time}, que está en el futuro: el reloj saltó. Caduca la reserva y registra su resultado.</translation>
    </message>
    <message>
        <source>{key} can no longer be resumed (cutoff {time}). Expire it, then record its outcome.</source>
        <translation>{key} ya no se puede reanudar (límite {time}). Caduca la reserva y registra su resultado.</translation>
    </message>
    <message>
        <source>Requeue alone replays the stored failure ({class}). A new attempt is needed.</source>
        <translation>Reencolar solo repite el fallo guardado ({class}). Hace falta un intento nuevo.</translation>
    </message>
    <message>
        <source>{what} is held since {time} by {login}; it will wait.</source>
        <translation>{login} tiene parado {what} desde las {time}; quedará a la espera.</translation>
    </message>
    <message>
        <source>{key} is {status}.</source>
        <translation>{key} está en {status}.</translation>
    </message>
    <message>
        <source>{key} was never sent; requeue its job and it will be.</source>
        <translation>{key} nunca se envió; reencola su trabajo y se enviará.</translation>
    </message>
    <message>
        <source>{key} can be resumed under the same key until {time}: requeue its job.</source>
        <translation>{key} se puede reanudar con la misma clave hasta las {time}: reencola su trabajo.</translation>
    </message>
    <message>
        <source>{key} is open already and waits for a worker.</source>
        <translation>{key} ya está abierto y espera a un worker.</translation>
    </message>
    <message>
        <source>{key} took effect at {time} ({object}).</source>
        <translation>{key} surtió efecto a las {time} ({object}).</translation>
    </message>
    <message>
        <source>{key} is {status} since {time}.</source>
        <translation>{key} está en {status} desde las {time}.</translation>
    </message>
    <message>
        <source>{key} ended as {class}, which does not prove that nothing happened.</source>
        <translation>{key} acabó como {class}, y eso no prueba que no pasara nada.</translation>
    </message>
    <message>
        <source>All {n} attempts of {intent} are used.</source>
        <translation>Los {n} intentos de {intent} están gastados.</translation>
    </message>
    <message>
        <source>{what} is held since {time} by {login}: {reason}.</source>
        <translation>{login} tiene parado {what} desde las {time}: {reason}.</translation>
    </message>
    <message>
        <source>The card network says: do not try again.</source>
        <translation>La red de tarjetas dice: no volver a intentarlo.</translation>
    </message>
    <message>
        <source>The card was declined as {code}. Ask the customer for another one.</source>
        <translation>La tarjeta se rechazó como {code}. Pide otra al cliente.</translation>
    </message>
    <message>
        <source>The backend did not answer for {id} ({why}).</source>
        <translation>El backend no respondió por {id} ({why}).</translation>
    </message>
    <message>
        <source>The backend says {id} is {state}: nothing is due.</source>
        <translation>El backend dice que {id} está en {state}: no se debe nada.</translation>
    </message>
    <message>
        <source>The backend now says {new}, the plan was {old}. This is a new intent.</source>
        <translation>El backend dice ahora {new} y el plan era {old}. Es una intención nueva.</translation>
    </message>
    <message>
        <source>The plan of {intent} was emptied at {time}.</source>
        <translation>El plan de {intent} se vació a las {time}.</translation>
    </message>
    <message>
        <source>Attach what the provider shows.</source>
        <translation>Adjunta lo que muestra el proveedor.</translation>
    </message>
    <message>
        <source>Search results lag. Use a list or the object itself.</source>
        <translation>La búsqueda va con retraso. Usa una lista o el propio objeto.</translation>
    </message>
    <message>
        <source>The evidence ends {time}; it must reach {needed_time}.</source>
        <translation>La evidencia acaba a las {time}; debe llegar a las {needed_time}.</translation>
    </message>
    <message>
        <source>{field}: the evidence says {a}, the reservation {b}.</source>
        <translation>{field}: la evidencia dice {a}, la reserva {b}.</translation>
    </message>
    <message>
        <source>{object} already closes {key}.</source>
        <translation>{object} ya cierra {key}.</translation>
    </message>
    <message>
        <source>{intent} has another attempt that is {status}: two effects. Record it as double charge.</source>
        <translation>{intent} tiene otro intento en {status}: dos efectos. Regístralo como doble cobro.</translation>
    </message>
    <message>
        <source>Expire {key} first.</source>
        <translation>Caduca antes {key}.</translation>
    </message>
    <message>
        <source>Job {id} is {state}.</source>
        <translation>El trabajo {id} está en {state}.</translation>
    </message>
    <message>
        <source>{key} was sent and is not settled.</source>
        <translation>{key} se envió y no está resuelto.</translation>
    </message>
    <message>
        <source>{event} has job {id}.</source>
        <translation>{event} tiene el trabajo {id}.</translation>
    </message>
    <message>
        <source>{event} arrived {age} ago; its job may still come.</source>
        <translation>{event} llegó hace {age}; su trabajo aún puede aparecer.</translation>
    </message>
    <message>
        <source>{intent} already names this event: it may have run without a job.</source>
        <translation>{intent} ya nombra este evento: pudo ejecutarse sin trabajo.</translation>
    </message>
    <message>
        <source>{what} is held since {time} by {login}.</source>
        <translation>{login} tiene parado {what} desde las {time}.</translation>
    </message>
    <message>
        <source>{what} is not held.</source>
        <translation>{what} no está parado.</translation>
    </message>
    <message>
        <source>Clocks differ by {s} s ({which}). Nothing is sent until they agree.</source>
        <translation>Los relojes difieren en {s} s ({which}). No se envía nada hasta que coincidan.</translation>
    </message>
    <message>
        <source>The store was restored from {time}; nothing is sent until the gap is covered.</source>
        <translation>El almacén se restauró de una copia de {time}; no se envía nada hasta cubrir el hueco.</translation>
    </message>
    <message>
        <source>The credential belongs to {credential}, the reservation to {account}.</source>
        <translation>La credencial es de {credential}, la reserva de {account}.</translation>
    </message>
    <message>
        <source>This run no longer owns job {id}. Stop.</source>
        <translation>Esta ejecución ya no es dueña del trabajo {id}. Para.</translation>
    </message>
    <message>
        <source>{intent} was planned with other arguments ({field}). Nothing was sent.</source>
        <translation>{intent} se planificó con otros argumentos ({field}). No se envió nada.</translation>
    </message>
    <message>
        <source>{field}: {why}.</source>
        <translation>{field}: {why}.</translation>
    </message>
    <message>
        <source>There is no tool {name}.</source>
        <translation>No hay ninguna herramienta {name}.</translation>
    </message>
    <message>
        <source>The store did not answer. Nothing was sent.</source>
        <translation>El almacén no respondió. No se envió nada.</translation>
    </message>
</context>
<context>
    <name>setting</name>
    <message>
        <source>{file} cannot be read: {why}.</source>
        <translation>{file} no se puede leer: {why}.</translation>
    </message>
    <message>
        <source>{file} is larger than {max} bytes and was not read.</source>
        <translation>{file} ocupa más de {max} bytes y no se ha leído.</translation>
    </message>
    <message>
        <source>{file}:{line}: this is not TOML: {why}.</source>
        <translation>{file}:{line}: esto no es TOML: {why}.</translation>
    </message>
    <message>
        <source>{file}:{line}: there is no setting {key}; known here are {known}.</source>
        <translation>{file}:{line}: no existe el ajuste {key}; aquí se conocen {known}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be {expected}.</source>
        <translation>{file}:{line}: {key} debe ser {expected}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} is missing.</source>
        <translation>{file}:{line}: falta {key}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} is missing, and the role {role} needs it.</source>
        <translation>{file}:{line}: falta {key}, y el rol {role} lo necesita.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} is missing, and {other} needs it.</source>
        <translation>{file}:{line}: falta {key}, y {other} lo necesita.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be from {min} to {max}.</source>
        <translation>{file}:{line}: {key} debe estar entre {min} y {max}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be above 0 and at most {max}.</source>
        <translation>{file}:{line}: {key} debe ser mayor que 0 y como mucho {max}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be one of {allowed}.</source>
        <translation>{file}:{line}: {key} debe ser uno de {allowed}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must not be empty.</source>
        <translation>{file}:{line}: {key} no puede estar vacío.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} {value} stands on line {first} already.</source>
        <translation>{file}:{line}: {key} {value} ya está en la línea {first}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be 1 to {max} visible ASCII characters.</source>
        <translation>{file}:{line}: {key} debe tener de 1 a {max} caracteres ASCII visibles.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be a literal address and a port, such as 127.0.0.1:8080 or [::1]:8080.</source>
        <translation>{file}:{line}: {key} debe ser una dirección literal y un puerto, como 127.0.0.1:8080 o [::1]:8080.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be an http or https URL without user, password or fragment.</source>
        <translation>{file}:{line}: {key} debe ser una URL http o https sin usuario, contraseña ni fragmento.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must begin with https, because the credential would cross the network in the open.</source>
        <translation>{file}:{line}: {key} debe empezar por https, porque la credencial cruzaría la red al descubierto.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be a plain path such as /webhooks/stripe.</source>
        <translation>{file}:{line}: {key} debe ser una ruta simple como /webhooks/stripe.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must hold {placeholder} exactly once and no other braces.</source>
        <translation>{file}:{line}: {key} debe contener {placeholder} exactamente una vez y ninguna otra llave.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must be sqlite:///path/store.db or postgresql://user@host:port/database.</source>
        <translation>{file}:{line}: {key} debe ser sqlite:///ruta/store.db o postgresql://usuario@host:puerto/base.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must not hold a password; keep it in a file that PGPASSFILE names.</source>
        <translation>{file}:{line}: {key} no puede contener una contraseña; guárdala en un archivo indicado por PGPASSFILE.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: {path} is not a folder that this user can write to.</source>
        <translation>{file}:{line}: {key}: {path} no es una carpeta en la que este usuario pueda escribir.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: {path} is not the absolute path of a program this user can run.</source>
        <translation>{file}:{line}: {key}: {path} no es la ruta absoluta de un programa que este usuario pueda ejecutar.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: {path} cannot be read: {why}.</source>
        <translation>{file}:{line}: {key}: {path} no se puede leer: {why}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key} must say where the secret is kept: file:/path, env:NAME or credential:NAME.</source>
        <translation>{file}:{line}: {key} debe decir dónde se guarda el secreto: file:/ruta, env:NOMBRE o credential:NOMBRE.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: there is no readable secret at {reference}: {why}.</source>
        <translation>{file}:{line}: {key}: no hay un secreto legible en {reference}: {why}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: the secret at {reference} is empty.</source>
        <translation>{file}:{line}: {key}: el secreto en {reference} está vacío.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: the secret at {reference} holds white space or a control character.</source>
        <translation>{file}:{line}: {key}: el secreto en {reference} contiene espacios o un carácter de control.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: the secret at {reference} is longer than {max} bytes.</source>
        <translation>{file}:{line}: {key}: el secreto en {reference} ocupa más de {max} bytes.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: everybody on this host can read the file of {reference}; chmod 600 it.</source>
        <translation>{file}:{line}: {key}: cualquiera en este equipo puede leer el archivo de {reference}; aplícale chmod 600.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: {value} is not a loopback address; set edge.tls_certificate and edge.tls_key, or edge.behind_proxy = true.</source>
        <translation>{file}:{line}: {key}: {value} no es una dirección de bucle local; define edge.tls_certificate y edge.tls_key, o edge.behind_proxy = true.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: {value} is not a loopback address, and the gate speaks without TLS; take a loopback address or unix:/path.</source>
        <translation>{file}:{line}: {key}: {value} no es una dirección de bucle local y la puerta habla sin TLS; usa una dirección de bucle local o unix:/ruta.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: cannot listen on {value}: {why}.</source>
        <translation>{file}:{line}: {key}: no se puede escuchar en {value}: {why}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: {path} cannot be written: {why}.</source>
        <translation>{file}:{line}: {key}: {path} no se puede escribir: {why}.</translation>
    </message>
    <message>
        <source>{file}:{line}: {key}: these times do not hold together; it must hold that {rule}.</source>
        <translation>{file}:{line}: {key}: estos tiempos no encajan; debe cumplirse {rule}.</translation>
    </message>
</context>
<context>
    <name>setting type</name>
    <message>
        <source>a text</source>
        <translation>un texto</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>un número entero</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>un número</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true o false</translation>
    </message>
    <message>
        <source>a table</source>
        <translation>una tabla</translation>
    </message>
    <message>
        <source>a list of texts</source>
        <translation>una lista de textos</translation>
    </message>
    <message>
        <source>a list of whole numbers</source>
        <translation>una lista de números enteros</translation>
    </message>
    <message>
        <source>a list of tables, each under [[…]]</source>
        <translation>una lista de tablas, cada una bajo [[…]]</translation>
    </message>
</context>
<context>
    <name>verdict</name>
    <message>
        <source>Nothing of this is in the store.</source>
        <translation>De esto no hay nada en el almacén.</translation>
    </message>
    <message>
        <source>The event was recorded, but no job was ever made for it.</source>
        <translation>El evento se registró, pero nunca se creó un trabajo para él.</translation>
    </message>
    <message>
        <source>Its job waits for a worker.</source>
        <translation>Su trabajo espera a un worker.</translation>
    </message>
    <message>
        <source>A worker holds its job.</source>
        <translation>Un worker tiene su trabajo.</translation>
    </message>
    <message>
        <source>Safe to requeue: effects that happened replay, none is repeated.</source>
        <translation>Se puede reencolar: lo que ya ocurrió se repite del registro, nada se hace dos veces.</translation>
    </message>
    <message>
        <source>An effect may have happened. Record its outcome first.</source>
        <translation>Un efecto puede haber ocurrido. Registra antes su resultado.</translation>
    </message>
    <message>
        <source>The last attempt failed for good. Only a new attempt key can succeed.</source>
        <translation>El último intento falló del todo. Solo un intento nuevo puede salir bien.</translation>
    </message>
    <message>
        <source>Everything happened once. There is nothing to do.</source>
        <translation>Todo ocurrió una vez. No hay nada que hacer.</translation>
    </message>
    <message>
        <source>An effect is still open and waits for its job.</source>
        <translation>Hay un efecto abierto que espera a su trabajo.</translation>
    </message>
    <message>
        <source>Its job was discarded.</source>
        <translation>Su trabajo se descartó.</translation>
    </message>
    <message>
        <source>The payload is gone, so the job cannot run again.</source>
        <translation>El contenido ya no está, así que el trabajo no puede volver a ejecutarse.</translation>
    </message>
</context>
<context>
    <name>tool</name>
    <message>
        <source>Done. Asking again returns this result, without doing it again.</source>
        <translation>Hecho. Si se vuelve a pedir, se devuelve este resultado sin hacerlo otra vez.</translation>
    </message>
    <message>
        <source>This was done before; here is its result. Nothing was done again.</source>
        <translation>Esto ya se hizo; aquí está su resultado. No se ha hecho nada de nuevo.</translation>
    </message>
    <message>
        <source>This was done before; its details are no longer kept. Nothing was done again.</source>
        <translation>Esto ya se hizo; sus detalles ya no se conservan. No se ha hecho nada de nuevo.</translation>
    </message>
    <message>
        <source>This is in progress. Ask again with the same arguments in {age}; do not try it another way.</source>
        <translation>Esto está en curso. Vuelve a preguntar con los mismos argumentos dentro de {age}; no lo intentes de otra manera.</translation>
    </message>
    <message>
        <source>It is not known whether this took effect. Do not retry; a person is checking.</source>
        <translation>No se sabe si esto tuvo efecto. No lo reintentes; una persona lo está comprobando.</translation>
    </message>
    <message>
        <source>This failed for good ({why}). Do not retry; asking again returns this answer.</source>
        <translation>Esto falló definitivamente ({why}). No lo reintentes; si se vuelve a pedir, se devuelve esta respuesta.</translation>
    </message>
    <message>
        <source>This failed ({why}) and took no effect. Do not retry; a person can open a new attempt.</source>
        <translation>Esto falló ({why}) y no tuvo efecto. No lo reintentes; una persona puede abrir un nuevo intento.</translation>
    </message>
    <message>
        <source>This was called off before it took effect. Do not retry; a person can open a new attempt.</source>
        <translation>Esto se anuló antes de tener efecto. No lo reintentes; una persona puede abrir un nuevo intento.</translation>
    </message>
    <message>
        <source>the arguments must be one JSON object</source>
        <translation>los argumentos deben ser un único objeto JSON</translation>
    </message>
    <message>
        <source>Unavez-Job and Unavez-Lease come together</source>
        <translation>Unavez-Job y Unavez-Lease van juntos</translation>
    </message>
    <message>
        <source>must be one whole number above 0</source>
        <translation>debe ser un único número entero mayor que 0</translation>
    </message>
    <message>
        <source>The bearer token is missing or wrong. Nothing was done.</source>
        <translation>Falta el token de acceso o no es correcto. No se ha hecho nada.</translation>
    </message>
</context>
</TS>
